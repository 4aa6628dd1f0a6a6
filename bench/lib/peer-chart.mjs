const WIDTH = 720
const LABEL_WIDTH = 170
const VALUE_WIDTH = 70
const BAR_HEIGHT = 22
const ROW_HEIGHT = 32
const TOP = 44

/**
 * A bar chart as SVG, with a logarithmic scale and a line at 1. It follows the reader's light or dark scheme.
 *
 * @param {string} title
 * @param {readonly { name: string, value: number, label: string }[]} bars Values over 0, and the texts beside them.
 */
export function barChart(title, bars) {
  const values = bars.map(({ value }) => value)
  const [least, most] = [Math.min(0.02, ...values), Math.max(10, ...values)]
  const scale = (value) =>
    (Math.log(value / least) / Math.log(most / least)) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH)
  const height = TOP + bars.length * ROW_HEIGHT + 8
  const one = LABEL_WIDTH + scale(1)
  const rows = bars.map(({ name, value, label }, at) => {
    const y = TOP + at * ROW_HEIGHT
    const length = Math.max(2, scale(value))
    const middle = y + BAR_HEIGHT / 2 + 5
    return `  <text x="${LABEL_WIDTH - 10}" y="${middle}" text-anchor="end">${name}</text>
  <rect class="${name.startsWith('Offstage') ? 'ours' : 'other'}" x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="4"/>
  <text x="${(LABEL_WIDTH + length + 8).toFixed(1)}" y="${middle}">${label.replace('>', '&gt;')}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
  <style>
    text { font: 14px system-ui, sans-serif; fill: #1f2328; }
    .title { font-weight: 600; }
    .ours { fill: #4f46e5; }
    .other { fill: #b6bac4; }
    .one { stroke: #59636e; stroke-dasharray: 3 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e8eb; }
      .ours { fill: #8b87ff; }
      .other { fill: #565d68; }
      .one { stroke: #9198a1; }
    }
  </style>
  <text class="title" x="0" y="20">${title} (logarithmic; shorter is better)</text>
  <line class="one" x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="${TOP - 8}" y2="${height - 4}"/>
${rows.join('\n')}
</svg>
`
}
