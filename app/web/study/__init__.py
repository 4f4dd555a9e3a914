"""The offload page: what templates/offload.html prints, made of a study."""
