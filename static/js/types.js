// Shapes of the documents that the server sends and of what the modules pass around. Types only.

/**
 * @typedef {{light: string, dark: string, light_ink: string, dark_ink: string}} Color
 * @typedef {{key: string, label: string, color: Color, symbol: string, hollow: boolean, points: number}} Series
 * @typedef {{label: string, unit: string, better: string, direction: string, share: boolean}} Axis
 * @typedef {{words: string[], codes: (number | null)[]}} Coded
 * @typedef {{column: string, label: string, unit: string, digits: number, share: boolean, first_of?: string}} CardNumber
 * @typedef {{column: string, label: string}} CardShare
 * @typedef {{
 *   numbers: CardNumber[], tiers: (CardShare & {tier: string})[], computed: CardShare, ceiling: CardShare,
 *   combined: {column: string, absent: string[], label: string}
 * }} CardLayout
 * @typedef {{
 *   flags: number[], words: Record<string, Coded>, numbers: Record<string, (number | null)[]>
 * }} Cards
 * @typedef {{
 *   snapshot: string, title: string, x: Axis, y: Axis, has_frontier: boolean, drawn: number,
 *   series: Series[], cards: Cards, card: CardLayout, base?: string | null
 * }} Meta
 * @typedef {{series: string, role: string, standing: string, depth?: number, hollow?: boolean, leads?: (number | null)[], inverse?: boolean}} TraceMeta
 * @typedef {{
 *   x: (number | null)[], y: (number | null)[], ids?: string[], mode: string, name: string, opacity?: number,
 *   marker?: Record<string, any>, line?: Record<string, any>, meta: TraceMeta, [more: string]: any
 * }} Trace
 * @typedef {{figure: {data: Trace[], layout: Record<string, any>}, meta: Meta}} Doc
 *
 * @typedef {[number, number]} Range
 * @typedef {{
 *   all: boolean, logX: boolean, logY: boolean, xr: Range | null, yr: Range | null,
 *   hide: string[], point: string[], at: number[]
 * }} State What the browser decides by itself; all of it stands in the address.
 *
 * @typedef {{
 *   dark: boolean, paper: string, raise: string, ink: string, ink2: string, grid: string, rule2: string,
 *   accent: string, region: string, faint: number, font: string
 * }} Theme
 * @typedef {{width: number, height: number, small: boolean}} Size
 * @typedef {{text: string, color: string, x: number, y: number}} Label Left edge and middle, in pixels of the stage.
 * @typedef {[number, number, number, number]} Box Left, top, right, bottom in pixels.
 */

export {};
