"""Launch commands: the offload they turn on with its sizes, the recipe beside it, and the runs they belong to."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.catalog.offload import Offload, Tier, kv_tiers
from app.catalog.point import Cache, Layout, Point, Role, TierShare
from ingest.commands import offload_of_command, parsed, recipe_of_command
from ingest.commands.command import begins_with_command
from ingest.commands.recipe import completed, recipe_of
from ingest.connectors import proven_connector
from ingest.document import Document
from ingest.sources.companions import Others
from ingest.sources.launch_commands import LaunchCommands

GB, GIB = 10**9, 2**30
MP = '{"kv_connector":"LMCacheMPConnector","kv_role":"kv_both"}'
V1 = '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'


def text(content: str, name: str = "command.txt", *folders: str) -> Document:
    place = "/".join((*folders, name))
    return Document(place=place, resolved=f"/{place}", name=name, folders=folders, data=content.encode())


def config(connector: str, **extra: Any) -> str:
    return json.dumps({"kv_connector": connector, "kv_role": "kv_both", "kv_connector_extra_config": extra})


def below(offload: Offload | None) -> list[tuple[str, int | None, str | None]]:
    """The tiers below HBM with size and scope."""
    assert offload is not None
    assert offload.evidence == "recipe_flag"
    return [(tier.medium, tier.capacity_bytes, tier.scope) for tier in offload.tiers if tier.medium != "hbm"]


@pytest.mark.parametrize(
    ("command", "backend", "tiers"),
    [
        ("vllm serve m --kv_offloading_size 100", "vllm-native", [("host_dram", 100 * GIB, "cluster")]),
        ("vllm serve m --kv-offloading-size=0.5", "vllm-native", [("host_dram", GIB // 2, "cluster")]),
        (
            "VLLM_USE_SIMPLE_KV_OFFLOAD=1 vllm serve m --kv_offloading_size 8",
            "vllm-simple",
            [("host_dram", 8 * GIB, "cluster")],
        ),
        (
            f"vllm serve m --kv-transfer-config '{config('OffloadingConnector', cpu_bytes_to_use=7 * GB)}'",
            "vllm-native",
            [("host_dram", 7 * GB, "cluster")],
        ),
        (
            f"vllm serve m --kv-transfer-config '{config('SimpleCPUOffloadConnector', cpu_bytes_to_use_per_rank=GB)}'",
            "vllm-simple",
            [("host_dram", GB, "per_rank")],
        ),
        (
            f"vllm serve m --kv-transfer-config '{config('SimpleCPUOffloadConnector', kv_offload_backend='disk')}'",
            "vllm-simple",
            [("local_nvme", None, None)],
        ),
        (
            f"vllm serve m --kv-transfer-config '{config('OffloadingConnector', secondary_tiers=[{'type': 'obj'}])}'",
            "vllm-tiering",
            [("host_dram", None, None), ("object", None, None)],
        ),
        (
            "vllm serve m --kv-transfer-config.kv_connector OffloadingConnector",
            "vllm-native",
            [("host_dram", None, None)],
        ),
        (
            "python3 -m sglang.launch_server --model m --enable-hierarchical-cache --hicache-size 180",
            "hicache",
            [("host_dram", 180 * GB, "per_rank")],
        ),
        (
            "sglang serve --model-path m --enable-hierarchical-cache --hicache-ratio 2 --hicache-storage-backend file",
            "hicache",
            [("host_dram", None, None), ("local_nvme", None, None)],
        ),
        (
            'trtllm-serve m --kv_cache_config \'{"host_cache_size": 1000, "disk_cache_size": 5000}\'',
            "trtllm-native",
            [("host_dram", 1000, None), ("local_nvme", 5000, None)],
        ),
        (
            "cat > o.yaml <<EOF\nkv_cache_config:\n  host_cache_size: 2_000\nEOF\n"
            "trtllm-serve m --extra_llm_api_options o.yaml",
            "trtllm-native",
            [("host_dram", 2000, None)],
        ),
        (
            "DYN_KVBM_CPU_CACHE_GB=100 DYN_KVBM_DISK_CACHE_GB=500 python -m dynamo.vllm --model m --connector kvbm",
            "kvbm",
            [("host_dram", 100 * GB, None), ("local_nvme", 500 * GB, None)],
        ),
        (
            f"LMCACHE_LOCAL_CPU=True LMCACHE_MAX_LOCAL_CPU_SIZE=50 vllm serve m --kv-transfer-config '{V1}'",
            "lmcache",
            [("host_dram", 50 * GB, "per_process")],
        ),
        (
            f"docker run -e LMCACHE_LOCAL_DISK=/d -e LMCACHE_MAX_LOCAL_DISK_SIZE=90 --env=LMCACHE_LOCAL_CPU=False "
            f"vllm/vllm-openai:v0.11.0 --model m --kv-transfer-config '{V1}'",
            "lmcache",
            [("host_dram", None, None), ("local_nvme", 90 * GB, "per_process")],
        ),
        (
            f"LMCACHE_REMOTE_URL=redis://:pw@host:1 LMCACHE_LOCAL_CPU=false vllm serve m --kv-transfer-config '{V1}'",
            "lmcache",
            [("remote_dram", None, None)],
        ),
        (
            f"lmcache server --l1-size-gb 625 &\nvllm serve m --kv-transfer-config '{MP}'",
            "lmcache-mp",
            [("host_dram", 625 * GB, "per_node")],
        ),
        (
            'lmcache server --l1-size-gb 4 --l2-adapter \'{"type": "fs"}\' &\n'
            f"vllm serve m --kv-transfer-config '{MP}'",
            "lmcache-mp",
            [("host_dram", 4 * GB, "per_node"), ("local_nvme", None, None)],
        ),
    ],
)
def test_a_command_tells_backend_tiers_sizes_and_what_they_count_over(
    command: str, backend: str, tiers: list[tuple[str, int | None, str | None]]
) -> None:
    offload = offload_of_command(command)
    assert offload is not None
    assert (offload.mode, offload.kinds, offload.backend) == ("on", ("kv",), backend)
    assert below(offload) == tiers


@pytest.mark.parametrize(
    ("command", "mode"),
    [
        ("vllm serve m", "off"),
        ("vllm serve m --kv_offloading_backend native", "off"),
        ("vllm serve m --kv_offloading_size 0 --kv_offloading_backend lmcache", "off"),
        ("LMCACHE_LOCAL_CPU=True vllm serve m", "off"),
        ("DYN_KVBM_CPU_CACHE_GB=100 vllm serve m", "off"),
        ("python -m sglang.launch_server --model m --hicache-ratio 2 --hicache-write-policy write_back", "off"),
        ("vllm serve m --config server.yaml", None),
        ("vllm serve m --kv_offloading_size $SIZE", None),
        ("vllm serve m --kv-transfer-config $CONFIG", None),
        ('vllm serve m --kv-transfer-config \'{"kv_connector":', None),
        ('vllm serve m --kv-transfer-config \'{"kv_connector": "SomebodysConnector"}\'', None),
        ('vllm serve m --kv-transfer-config \'{"kv_connector": "NixlConnector"}\'', None),
        ("trtllm-serve m --extra_llm_api_options o.yaml", None),
        ("lmcache server --l1-size-gb 625", None),
        ("aiperf profile --model m", None),
    ],
)
def test_what_only_selects_turns_nothing_on_and_what_is_hidden_stays_unknown(command: str, mode: str | None) -> None:
    offload = offload_of_command(command)
    assert (offload and offload.mode) == mode


def test_arguments_of_a_report_are_no_whole_command() -> None:
    assert offload_of_command({"--tensor-parallel-size": 8, "--disable-log": None}) is None
    assert below(offload_of_command({"--kv_offloading_size": "2"})) == [("host_dram", 2 * GIB, "cluster")]
    nested = {"--kv-transfer-config": {"kv_connector": "OffloadingConnector"}, "--no-enable-log-requests": None}
    assert below(offload_of_command(nested)) == [("host_dram", None, None)]
    assert below(offload_of_command({"kv-transfer-config": V1}, {"LMCACHE_MAX_LOCAL_CPU_SIZE": "5"})) == [
        ("host_dram", 5 * GB, "per_process")
    ]
    words = ["vllm", "serve", "m", "--kv_offloading_size", "1"]
    assert below(offload_of_command(words)) == [("host_dram", GIB, "cluster")]
    assert below(offload_of_command(words[3:])) == [("host_dram", GIB, "cluster")]


def test_policies_paths_and_gpudirect() -> None:
    hicache = offload_of_command(
        "python -m sglang.launch_server --enable-hierarchical-cache --hicache-write-policy write_back "
        "--hicache-io-backend kernel"
    )
    assert hicache is not None
    assert (hicache.write_policy, hicache.access_path, hicache.gds) == ("write_back", "kernel_copy", None)
    gds = offload_of_command(
        f"export LMCACHE_GDS_PATH=/mnt/weka/kv LMCACHE_LOCAL_CPU=False\nvllm serve m --kv-transfer-config '{V1}'"
    )
    assert gds is not None
    assert (gds.gds, gds.access_path, gds.media) == ("requested_unverified", "gds_cufile", ("hbm", "remote_flash"))


def test_parameter_offload_is_not_kv_offload_and_both_may_be_on() -> None:
    engram = offload_of_command("vllm serve m --engram-config '{\"cpu_offload\": true}'")
    assert engram is not None
    assert (engram.kinds, engram.backend, engram.media, engram.has_halo) == (
        ("parameter",),
        "engram",
        ("host_dram",),
        False,
    )
    both = offload_of_command("vllm serve m --cpu-offload-gb 10 --kv_offloading_size 4")
    assert both is not None
    assert (both.kind, both.parameter["table_bytes"]) == ("kv+parameter", 10 * GIB)
    kept = offload_of_command("vllm serve m --engram-config '{\"cpu_offload\": false}'")
    assert kept is not None
    assert kept.mode == "off"


@pytest.mark.parametrize(
    ("command", "medium"),
    [
        ("vllm serve m --kv_offloading_size 4", "host_dram"),
        (f"vllm serve m --kv-transfer-config '{MP}'", None),
        (f"lmcache server --l1-size-gb 4 &\nvllm serve m --kv-transfer-config '{MP}'", "host_dram"),
        (f"lmcache server --l1-size-gb 4 --l2-adapter fs &\nvllm serve m --kv-transfer-config '{MP}'", None),
        (f"vllm serve m --kv-transfer-config '{V1}'", None),
        (f"LMCACHE_LOCAL_CPU=True vllm serve m --kv-transfer-config '{V1}'", "host_dram"),
    ],
)
def test_a_connector_is_dram_only_where_the_recipe_proves_it(command: str, medium: str | None) -> None:
    offload = offload_of_command(command)
    assert offload is not None
    assert proven_connector(offload) == medium


def test_a_name_proves_no_medium() -> None:
    tiers = kv_tiers("vllm-native")
    assert proven_connector(Offload(mode="on", backend="vllm-native", tiers=tiers, evidence="name")) is None
    assert proven_connector(Offload(mode="on", backend="lmcache", tiers=tiers, evidence="field")) == "host_dram"
    assert proven_connector(Offload(mode="on", tiers=(Tier(medium="external"),), evidence="supplied")) is None


def test_the_recipe_of_a_command() -> None:
    recipe = recipe_of_command(
        "TP=8\ndocker run -e HF_TOKEN=hf_secret lmsysorg/sglang:v0.5.9-cu130 python3 -m sglang.launch_server \\\n"
        "  --model-path zai-org/GLM-5.1-FP8 --tp $TP --dp 8 --enable-dp-attention --ep-size 8 "
        "--kv-cache-dtype fp8_e4m3 --speculative-algorithm EAGLE3 --disable-radix-cache # and no more"
    )
    assert (recipe.model, recipe.engine, recipe.engine_version) == ("glm5.1", "sglang", "0.5.9")
    assert (recipe.precision, recipe.spec) == ("fp8", "eagle")
    assert recipe.role == Role(tp=8, ep=8, dp_attention=True)
    assert recipe.facts["kv_cache_dtype"] == "fp8_e4m3"
    assert recipe.facts["prefix_caching"] is False
    assert recipe.flags == ("prefix_caching_off",)


def test_parallelism_counts_copies_of_a_worker_and_experts_over_all_of_them() -> None:
    recipe = recipe_of_command("vllm serve m -tp 2 --data-parallel-size 4 --enable-expert-parallel")
    assert recipe.role == Role(tp=2, workers=4, ep=8)
    assert recipe_of_command("vllm serve m --no-enable-prefix-caching").flags == ("prefix_caching_off",)
    method = '{"method": "deepseek_mtp", "num_speculative_tokens": 1}'
    assert recipe_of_command(f"vllm serve m --speculative-config '{method}'").spec == "mtp"
    assert recipe_of_command("vllm serve m").spec == "none"


@pytest.mark.parametrize(
    ("prefill", "decode"),
    [
        (
            """vllm serve m -tp 4 --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}'""",
            """vllm serve m -tp 8 --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_consumer"}'""",
        ),
        (
            "python3 -m sglang.launch_server --model-path m --tp 4 --disaggregation-mode prefill",
            "python3 -m sglang.launch_server --model-path m --tp 8 --disaggregation-mode decode",
        ),
    ],
)
def test_commands_of_prefill_and_decode_tell_the_parallelism_of_each(prefill: str, decode: str) -> None:
    recipe = recipe_of([command for text in (prefill, decode) for command in parsed(text)])
    assert recipe.role is None
    layout = completed(Point(dialect="d"), recipe).layout
    assert layout.disaggregated
    assert (layout.whole, layout.prefill, layout.decode) == (None, Role(tp=4), Role(tp=8))
    # What a record says of its roles stays, and gets what it lacks.
    known = Layout(prefill=Role(tp=2), decode=Role(chips=16), disaggregated=True)
    filled = completed(Point(dialect="d", layout=known), recipe).layout
    assert (filled.prefill, filled.decode) == (Role(tp=2), Role(tp=8, chips=16))
    one = recipe_of(list(parsed(prefill)))
    assert (one.prefill, one.decode) == (Role(tp=4), None)
    whole = Point(dialect="d", layout=Layout(disaggregated=False))
    assert completed(whole, recipe).layout == whole.layout


def test_one_half_of_a_split_deployment_is_not_the_whole() -> None:
    inner = [{"kv_connector": "NixlConnector"}, {"kv_connector": "OffloadingConnector"}]
    command = f"vllm serve m -tp 8 --kv-transfer-config '{config('MultiConnector', connectors=inner)}'"
    recipe, offload = recipe_of_command(command), offload_of_command(command)
    assert (recipe.role, recipe.disaggregated) == (None, True)
    assert offload is not None
    assert (offload.backend, offload.backend_raw) == ("vllm-native", "MultiConnector")


@pytest.mark.parametrize(
    ("content", "is_command"),
    [
        ("vllm serve m", True),
        ("#!/bin/bash\nset -ex\nexport A=1\nsudo numactl -N 0 /opt/bin/vllm serve m \\\n  --port 1", True),
        ("HF_TOKEN=x python3 -m sglang.launch_server --model m", True),
        ('bash -c "cd /w && aiperf profile --model m"', True),
        ("docker run --rm vllm/vllm-openai:latest --model m", True),
        ("lmcache server --l1-size-gb 1", True),
        ("echo vllm serve m", False),
        ("pip install vllm", False),
        ("To start it, run vllm serve m.", False),
        ("# a comment alone", False),
        ("vllm,serve,m\n1,2,3\n", False),
        ("'never closed", False),
        ("", False),
    ],
)
def test_a_text_is_a_command_by_what_it_runs_first(content: str, is_command: bool) -> None:
    assert begins_with_command(content) is is_command
    assert LaunchCommands().claims(text(content)) is is_command


def test_commands_of_one_folder_are_read_together_in_any_order() -> None:
    server = text(f"vllm serve amd/Kimi-K2.5-MXFP4 -tp 4 --kv-transfer-config '{MP}'", "vllm.txt", "sweep", "run")
    cache = text("lmcache server --l1-size-gb 625", "lmcache.txt", "sweep", "run")
    source = LaunchCommands()
    one = source.complete(cache, source.complete(server, Point(dialect="d")))
    other = source.complete(server, source.complete(cache, Point(dialect="d")))
    assert one == other
    assert below(one.offload) == [("host_dram", 625 * GB, "per_node")]
    assert [said["file"] for said in one.facts["commands"]] == ["sweep/run/lmcache.txt", "sweep/run/vllm.txt"]
    # A command of the whole sweep says nothing of a run that has its own.
    again = source.complete(text("vllm serve m -tp 8", "vllm.txt", "sweep"), one)
    assert again == one


def test_the_record_outranks_its_command_and_disagreement_is_told() -> None:
    source = LaunchCommands()
    stated = Point(
        dialect="d",
        engine="sglang",
        layout=Layout(whole=Role(tp=8)),
        offload=Offload(mode="off", evidence="field"),
        facts={"kv_cache_dtype": "bf16"},
    )
    point = source.complete(text("vllm serve m -tp 4 --kv-cache-dtype fp8 --kv_offloading_size 4"), stated)
    assert (point.engine, point.layout.whole, point.offload) == ("sglang", Role(tp=8), stated.offload)
    assert point.facts["kv_cache_dtype"] == "bf16"
    assert "mode_contradiction" in point.flags
    on = Point(
        dialect="d",
        offload=Offload(mode="on", backend="vllm-native", tiers=kv_tiers("vllm-native"), evidence="field"),
    )
    sized = source.complete(text("vllm serve m --kv_offloading_size 4"), on)
    assert (sized.offload.evidence, sized.offload.tiers[1].capacity_bytes) == ("field", 4 * GIB)


def test_a_proven_connector_names_the_tier_of_a_cache_that_is_read_already() -> None:
    tiers = (TierShare(medium="hbm", share=0.5), TierShare(medium="external", share=0.25))
    point = Point(dialect="d", cache=Cache(tiers=tiers, flags=("external_unspecified",)))
    done = LaunchCommands().complete(text("vllm serve m --kv_offloading_size 4"), point)
    assert [tier.medium for tier in done.cache.tiers] == ["hbm", "host_dram"]
    assert done.cache.flags == ()
    unproven = LaunchCommands().complete(text(f"vllm serve m --kv-transfer-config '{V1}'"), point)
    assert unproven.cache == point.cache


def test_a_command_belongs_to_the_results_of_its_folder_or_below_it() -> None:
    command = text("vllm serve m", "vllm.txt", "sweep", "a")
    own = text("{}", "x.json", "sweep", "a", "artifacts")
    sibling = text("{}", "x.json", "sweep", "b", "artifacts")
    above = text("{}", "x.json", "sweep")
    source = LaunchCommands()
    assert list(source.completes(command, Others((own, sibling, above)))) == [own]
    assert list(source.completes(command, Others((sibling, above)))) == []


def test_no_secret_of_a_command_is_kept() -> None:
    content = "HF_TOKEN=hf_madeUpForThisTest000 vllm serve m --api-key q7RtYp2LxWv9 --kv_offloading_size 4"
    facts = LaunchCommands().complete(text(content), Point(dialect="d")).facts
    assert "q7RtYp2LxWv9" not in str(facts)
    assert "hf_madeUp" not in str(facts)


def test_real_commands_give_what_their_folders_are_named_after(shared_data: Path) -> None:
    files = sorted((shared_data / "aiperf_runs").glob("*/*conc16_*/*.txt"))
    assert len(files) >= 8
    for path in files:
        document = Document(
            place=path.name, resolved=str(path), name=path.name, folders=(path.parent.name,), data=path.read_bytes()
        )
        assert LaunchCommands().claims(document)
        point = LaunchCommands().complete(document, Point(dialect="d"))
        if path.name == "vllm_command.txt":
            assert point.offload.mode == ("off" if "offloadnone" in path.parent.name else "on")
            assert point.layout.whole is not None
            assert f"_tp{point.layout.whole.tp}_" in path.parent.name
