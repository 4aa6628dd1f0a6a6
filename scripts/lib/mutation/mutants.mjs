// Small changes to a source text, each of which some test should notice.
import { parseAst } from 'vite'

const OTHER_OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/**
 * A mutation. `text` replaces an expression; a statement is removed.
 *
 * @typedef {{ kind: string, start: number, end: number, text: string, isStatement: boolean }} Mutant
 * @param {string} source TypeScript
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  const found = []
  const replace = (kind, { start, end }, text) =>
    found.push({ kind, start, end, text, isStatement: false })
  const drop = (kind, { start, end }) =>
    found.push({ kind, start, end, text: '', isStatement: true })
  visit(parseAst(source, { lang: 'ts' }), null, (node, parent) => {
    for (const mutate of MUTATIONS) mutate(node, { parent, source, replace, drop })
  })
  return found
}

/**
 * The source with all mutants in it. Each is switched by `mutation(number)`, a global function that also learns which
 * of them a test reaches; numbers count from `first`.
 *
 * @param {string} source
 * @param {readonly Mutant[]} mutants As `mutantsOf` returns them.
 * @param {number} first
 */
export function withSwitches(source, mutants, first = 0) {
  const numbered = mutants
    .map((mutant, index) => ({ ...mutant, number: first + index }))
    // Outer before inner: nodes of a syntax tree never overlap in part.
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
  let next = 0
  const render = (from, to) => {
    let text = ''
    let at = from
    while (next < numbered.length && numbered[next].start < to) {
      const mutant = numbered[next++]
      text += source.slice(at, mutant.start) + switched(mutant, render(mutant.start, mutant.end))
      at = mutant.end
    }
    return text + source.slice(at, to)
  }
  return render(0, source.length)
}

function switched({ number, text, isStatement }, original) {
  return isStatement
    ? `{ if (!mutation(${number})) ${original} }`
    : `(mutation(${number}) ? (${text}) : (${original}))`
}

const MUTATIONS = [
  negateCondition,
  swapOperator,
  dropStatement,
  dropEarlyReturn,
  flipBoolean,
  returnNothing,
]

function negateCondition({ type, test }, { source, replace }) {
  if (!test || !['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(type)) return
  replace('negate', test, `!(${source.slice(test.start, test.end)})`)
}

function swapOperator(node, { source, replace }) {
  const { type, operator, left, right, start, end } = node
  if (type !== 'BinaryExpression' && type !== 'LogicalExpression') return
  const replacement = OTHER_OPERATORS[operator]
  if (!replacement) return
  const at = left.end + source.slice(left.end, right.start).indexOf(operator)
  const [before, after] = [source.slice(start, at), source.slice(at + operator.length, end)]
  // `a ?? b || c` is no expression.
  if (type === 'LogicalExpression')
    replace('operator', node, `(${before}) ${replacement} (${after})`)
  else replace('operator', node, `${before}${replacement}${after}`)
}

function dropStatement(node, { parent, drop }) {
  const { type, expression } = node
  if (type !== 'ExpressionStatement' || parent?.type === 'Program' || isNever(expression)) return
  drop('drop', node)
}

/** A return that other statements follow: at the end of a block of its own, or without one. */
function dropEarlyReturn(node, { parent, drop }) {
  if (node.type === 'ReturnStatement' && parent?.type === 'IfStatement') drop('return', node)
}

function flipBoolean(node, { parent, replace }) {
  const { type, value } = node
  if (type !== 'Literal' || typeof value !== 'boolean' || parent?.type.startsWith('TS')) return
  replace('boolean', node, String(!value))
}

function returnNothing({ type, argument }, { parent, replace }) {
  if (type !== 'ReturnStatement' || !argument || parent?.type === 'IfStatement') return
  if (argument.type === 'Literal' || isNever(argument)) return
  replace('constant', argument, 'undefined')
}

/** Only the compiler reads `value satisfies never`. */
function isNever({ type, typeAnnotation }) {
  return type === 'TSSatisfiesExpression' && typeAnnotation.type === 'TSNeverKeyword'
}

function visit(node, parent, handle) {
  handle(node, parent)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child.type === 'string') visit(child, node, handle)
  }
}
