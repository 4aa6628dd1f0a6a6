import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { parse, parseDocument } from 'yaml'
import { inProject } from './project.mjs'

/**
 * A promise of the ledger.
 *
 * @typedef {object} Promised
 * @property {string} id
 * @property {string} document the page that states it
 * @property {string} heading the section of that page
 * @property {string} promise one sentence
 * @property {string | undefined} row beginning of the row's first cell, if a row of a table states it
 * @property {string | undefined} rows first cell of the table's head, if all of its rows state it
 * @property {readonly { file: string, title: string }[]} tests
 */

/** Where the ledger lies. */
export const LEDGER = 'test/promises.yaml'

/** Reads the ledger: the file's text, by default as it lies in the project. */
export function readLedger(yaml = readFileSync(inProject(LEDGER), 'utf8')) {
  const { promises, tables, purposes } = parse(yaml)
  return { promises: promisesIn(promises), tables, purposes }
}

/** @returns {Promised[]} */
function promisesIn(documents) {
  return sections(documents).flatMap(({ document, heading, entries }) =>
    Object.entries(entries).map(([id, { promise, row, rows, tests = {} }]) => ({
      id,
      document,
      heading,
      promise,
      row,
      rows,
      tests: Object.entries(tests).flatMap(([file, titles]) =>
        [titles].flat().map((title) => ({ file: `test/${file}`, title })),
      ),
    })),
  )
}

function sections(documents) {
  return Object.entries(documents).flatMap(([document, headings]) =>
    Object.entries(headings).map(([heading, entries]) => ({ document, heading, entries })),
  )
}

/**
 * The rows of a Markdown page's tables: the section and the table's head they stand under, and their first cell as plain text.
 *
 * @param {string} markdown
 */
export function tableRows(markdown) {
  const rows = []
  let heading = ''
  let head = null
  for (const line of markdown.replaceAll(/^```[^]*?^```/gm, '').split('\n')) {
    const [, title] = /^#{1,6} (.*)/.exec(line) ?? []
    if (title !== undefined) heading = plain(title)
    if (!line.startsWith('|')) head = null
    else if (head === null) head = firstCell(line)
    else if (!/^\| *:?-/.test(line)) rows.push({ heading, head, cell: firstCell(line) })
  }
  return rows
}

/** The headings of a Markdown page, as plain text. */
export function headingsOf(markdown) {
  const text = markdown.replaceAll(/^```[^]*?^```/gm, '')
  return [...text.matchAll(/^#{1,6} (.*)/gm)].map(([, title]) => plain(title))
}

function firstCell(line) {
  const [, cell] = /^\|((?:\\.|[^|\\])*)/.exec(line) ?? ['', '']
  return plain(cell)
}

function plain(markdown) {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim()
}

/** Whether a text of the source begins with the title. Parsing all test files would take seconds. */
export function hasTitle(source, title) {
  const texts = source.replaceAll(/\\(['"`])/g, '$1')
  return ["'", '"', '`'].some((quote) =>
    texts
      .split(quote + title)
      .slice(1)
      .some(endsWord),
  )
}

/** Whether a title that this stands behind ends with a word: `O1` is not the beginning of `O12`. */
function endsWord(rest) {
  return !/^\w/.test(rest)
}

/**
 * The texts of a test file that may be a test's title, each with the code of what it is the title of: the call that it is
 * the first argument of, or the record or list that holds it.
 *
 * @param {string} file its name, which tells the language
 * @param {string} source
 * @returns {{ text: string, code: string }[]}
 */
function titlesIn(file, source) {
  if (!file.endsWith('.ts')) return textsIn(source)
  const titles = []
  visit(parseSync(file, source).program, [])
  return titles

  function visit(node, parents) {
    const text = textOf(node, source)
    if (text !== null) {
      const { start, end } = titledNode(node, parents)
      titles.push({ text, code: source.slice(start, end) })
    }
    for (const child of Object.values(node).flat())
      if (child !== null && typeof child === 'object' && 'type' in child)
        visit(child, [node, ...parents])
  }
}

/** The texts of a file of cases in JSON, each of which stands for itself. */
function textsIn(json) {
  return [...json.matchAll(/"(?:\\.|[^"\\])*"/g)].map(([text]) => ({
    text: JSON.parse(text),
    code: text,
  }))
}

function textOf(node, source) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  // A template stands as it is written: `a tab that is ${how}`.
  return node.type === 'TemplateLiteral' ? source.slice(node.start + 1, node.end - 1) : null
}

function titledNode(node, [parent, record]) {
  if (parent?.type === 'CallExpression' && parent.arguments[0] === node) return parent
  if (parent?.type === 'Property') return record
  return parent?.type === 'ArrayExpression' ? parent : node
}

/**
 * Finds the promises whose tests are affected by a change of test files.
 *
 * @param {readonly Promised[]} promises
 * @param {readonly { file: string, before: string | null, after: string | null }[]} changes
 * @returns {{ id: string, promise: string, file: string, title: string, change: string, newTitle?: string }[]}
 */
export function touchedBy(promises, changes) {
  const files = changes.map(({ file, before, after }) => ({
    file,
    before: before === null ? [] : titlesIn(file, before),
    after: after === null ? [] : titlesIn(file, after),
  }))
  return promises.flatMap(({ id, promise, tests }) =>
    tests.flatMap(({ file, title }) => {
      const touch = touchOf(files, file, title)
      return touch ? [{ id, promise, file, title, ...touch }] : []
    }),
  )
}

function touchOf(files, file, title) {
  const pair = files.find((candidate) => candidate.file === file)
  if (!pair) return null
  const before = codeOf(pair.before, title)
  const after = codeOf(pair.after, title)
  if (after !== null) return after === before ? null : { change: 'changed' }
  const target = files.find((entry) => codeOf(entry.after, title) !== null)
  if (target) return { change: `moved to ${target.file}` }
  const renamed = pair.after.find(
    ({ text, code }) => code !== text && code.replace(text, title) === before,
  )
  return renamed ? { change: 'renamed', newTitle: renamed.text } : { change: 'gone' }
}

/** The code of all tests with the title, or null if there is none. */
function codeOf(titles, title) {
  const found = titles.filter(
    ({ text }) => text.startsWith(title) && endsWord(text.slice(title.length)),
  )
  return found.length === 0 ? null : found.map(({ code }) => code).join('\n')
}

/**
 * The ledger's text with the new titles of tests that were renamed and not changed otherwise.
 *
 * @param {string} yaml
 * @param {readonly Promised[]} promises
 * @param {ReturnType<typeof touchedBy>} touched
 */
export function withNewTitles(yaml, promises, touched) {
  const ledger = parseDocument(yaml)
  const renamed = touched.filter(({ newTitle }) => newTitle !== undefined)
  for (const { id, file, title, newTitle } of renamed) {
    const { document, heading } = promises.find((promise) => promise.id === id)
    const keys = ['promises', document, heading, id, 'tests', file.replace('test/', '')]
    const titles = ledger.getIn(keys)
    if (titles === title) ledger.setIn(keys, newTitle)
    else ledger.setIn([...keys, titles.items.findIndex(({ value }) => value === title)], newTitle)
  }
  return ledger.toString({ lineWidth: 0, singleQuote: true })
}
