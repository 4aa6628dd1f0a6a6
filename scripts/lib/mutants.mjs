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
 * @typedef {{ kind: string, start: number, end: number, text: string }} Mutant What stands at a place in its stead.
 * @param {string} source TypeScript
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  const found = []
  const add = (kind, { start, end }, text) => found.push({ kind, start, end, text })
  visit(parseAst(source, { lang: 'ts' }), null, (node, parent) => {
    for (const mutate of MUTATIONS) mutate(node, { parent, source, add })
  })
  return found
}

/** The source with the mutant in it. */
export function withMutant(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end)
}

const MUTATIONS = [
  negateCondition,
  swapOperator,
  dropStatement,
  dropEarlyReturn,
  flipBoolean,
  returnNothing,
]

function negateCondition({ type, test }, { source, add }) {
  if (!test || !['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(type)) return
  add('negate', test, `!(${source.slice(test.start, test.end)})`)
}

function swapOperator({ type, operator, left, right }, { source, add }) {
  if (type !== 'BinaryExpression' && type !== 'LogicalExpression') return
  const other = OTHER_OPERATORS[operator]
  if (!other) return
  const between = source.slice(left.end, right.start)
  const at = left.end + between.indexOf(operator)
  // `a ?? b || c` is no expression.
  const [before, after] = [source.slice(left.start, left.end), source.slice(right.start, right.end)]
  if (type === 'LogicalExpression')
    add('operator', { start: left.start, end: right.end }, `((${before}) ${other} (${after}))`)
  else add('operator', { start: at, end: at + operator.length }, other)
}

function dropStatement({ type, start, end }, { parent, add }) {
  if (type === 'ExpressionStatement' && parent?.type !== 'Program') add('drop', { start, end }, ';')
}

/** A return that other statements follow: at the end of a block of its own, or without one. */
function dropEarlyReturn({ type, start, end }, { parent, add }) {
  if (type === 'ReturnStatement' && parent?.type === 'IfStatement')
    add('return', { start, end }, ';')
}

function flipBoolean({ type, value, start, end }, { parent, add }) {
  if (type !== 'Literal' || typeof value !== 'boolean' || parent?.type.startsWith('TS')) return
  add('boolean', { start, end }, String(!value))
}

function returnNothing({ type, argument }, { parent, add }) {
  if (type !== 'ReturnStatement' || !argument || parent?.type === 'IfStatement') return
  if (argument.type !== 'Literal') add('constant', argument, 'undefined')
}

function visit(node, parent, look) {
  look(node, parent)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child.type === 'string') visit(child, node, look)
  }
}
