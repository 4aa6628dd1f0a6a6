import path from 'node:path'
import { Modules } from '../../scripts/lib/api-report.mjs'
import { anchorsOf } from '../../scripts/lib/links.mjs'
import { apiEntries } from './api-entries.mjs'

const VALUES = 'Functions, classes and values'
const TYPES = 'Types'
const INDEX = 'api/index.md'
const OTHERS = 'api/other-types.md'

/**
 * The API reference: a page for each entry, with the comment and the declaration of each export. A declaration is on
 * the page of the first entry that exports it; the pages of others link there.
 *
 * @param {object} options
 * @param {object} options.manifest package.json
 * @param {string} options.folder what the types' paths are relative to
 * @param {string} options.report text of the API report, which has the types that no entry exports
 * @returns {Map<string, string>} texts by path
 */
export function apiPages({ manifest, folder, report }) {
  const modules = new Modules({ withComments: true })
  const entries = apiEntries(manifest)
  const places = new Map()
  const pages = entries.map(({ title, file, types }) => {
    const declarations = path.resolve(folder, types)
    const exported = modules
      .exportsOf(declarations)
      .map(({ name, isType }) => [name, { ...modules.declared(declarations, name), isType }])
    const page = entryPage(title, exported, { file, places })
    return [file, page]
  })
  const rows = entries.map(({ title, file }) => `- [\`${title}\`](${path.posix.basename(file)})`)
  const other = '[Types that no entry exports](other-types.md) appear in these.'
  const index = `# API reference\n\nA page for each entry of the package.\n\n${rows.join('\n')}\n\n${other}\n`
  return new Map([[INDEX, index], ...pages, [OTHERS, otherTypes(report)]])
}

/** Adds the places of the symbols that this page describes to `places`. */
function entryPage(title, exported, { file, places }) {
  const own = exported.filter(([, { key }]) => !places.has(key))
  const values = own.filter(([, { isType }]) => !isType)
  const types = own.filter(([, { isType }]) => isType)
  const sections = [
    [VALUES, values],
    [TYPES, types],
  ].filter(([, symbols]) => symbols.length > 0)
  const elsewhere = exported.flatMap(([name, { key }]) => {
    const place = places.get(key)
    return place ? [`[\`${name}\`](${place})`] : []
  })
  const headings = [
    { text: title },
    ...sections.flatMap(([text, symbols]) => [
      { text },
      ...symbols.map(([name, { key }]) => ({ text: name, key })),
    ]),
  ]
  const anchors = anchorsOf(headings.map(({ text }) => `# ${text}`).join('\n'))
  for (const [at, { key }] of headings.entries())
    if (key) places.set(key, `${path.posix.basename(file)}#${anchors[at]}`)
  const texts = sections.map(
    ([heading, symbols]) => `## ${heading}\n\n${symbols.map(symbolText).join('\n')}`,
  )
  const also =
    elsewhere.length > 0
      ? [`## Described elsewhere\n\nThis entry also exports:\n\n${elsewhere.join(', ')}\n`]
      : []
  return `# ${title}\n\n${[...texts, ...also].join('\n')}`
}

function symbolText([name, { name: declared, comment, text }]) {
  const [prose, ...examples] = comment.split(/^@example[ \t]*\n?/m)
  const parts = [
    `### ${name}`,
    prose.trim(),
    declared === name ? '' : `Declared as \`${declared}\`.`,
    ...examples.map((example) => fence(example.trim())),
    fence(text.replaceAll(/^ *(?:#private|private .*);\n/gm, '')),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function otherTypes(report) {
  const [, declarations = ''] = report.replaceAll('\r\n', '\n').split('\n## Declarations\n')
  const found = [...declarations.matchAll(/^```ts\n([^]*?)^```$/gm)].flatMap(([, code]) => {
    const name =
      /^(?:declare )?(?:abstract )?(?:interface|type|class|function|const) ([\w$]+)/.exec(code)
    return name ? [`### ${name[1]}\n\n${fence(code.trimEnd())}\n`] : []
  })
  return `# Types that no entry exports

Declarations of exported names refer to these. They can change as long as those names stay compatible.

${found.join('\n')}`
}

function fence(code) {
  return `\`\`\`ts\n${code}\n\`\`\``
}
