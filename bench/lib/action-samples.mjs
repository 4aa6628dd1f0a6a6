/** Outputs of about `size` characters, one for each kind of content that readers differ on. */
export const tools = [
  {
    name: 'write_file',
    description: 'Writes a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'tag_items',
    description: 'Tags items.',
    inputSchema: {
      type: 'object',
      properties: { ids: { type: 'array', items: { type: 'string' } } },
      required: ['ids'],
    },
  },
]

const fill = (unit, size) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
const write = (content) =>
  `Writing it.\n<ACTION>\n<write_file><path>a.js</path><content>${content}</content></write_file>\n</ACTION>`
const code = 'for (let i = 0; i < n; i++) { if (a[i] <b && c > d) list.push(`<p>${i}</p>`) }\n'

export const samples = {
  'plain text': (size) => write(fill('A sentence of plain words, and one more. ', size)),
  'code in CDATA': (size) => write(`<![CDATA[\n${fill(code, size)}\n]]>`),
  'raw code': (size) => write(fill(code, size)),
  'list of 1000': (size) => {
    const item = fill('entry ', Math.max(1, Math.floor(size / 1000) - 13))
    const items = `<item>${item}</item>`.repeat(
      Math.min(1000, Math.ceil(size / (item.length + 13))),
    )
    return `<ACTION>\n<tag_items><ids>${items}</ids></tag_items>\n</ACTION>`
  },
  'reply text': (size) => fill('A sentence with a < sign and `code`, then more words.\n', size),
}
