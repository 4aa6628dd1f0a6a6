import { calls, selectorsOf } from './selectors.ts'

/** How many ids, then classes and the like, then tags a selector names: https://www.w3.org/TR/selectors-4/#specificity-rules */
export type Specificity = readonly [number, number, number]

const NONE: Specificity = [0, 0, 0]
const OF_ARGUMENTS = /^:(is|not|has|matches|-webkit-any|-moz-any)$/
const WITH_ARGUMENTS = /^(:host|:host-context|::slotted)$/
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g
const ESCAPE = /\\(?:[\da-f]{1,6}\s?|.)/gi

/** Of one selector, not of a list. */
export function specificityOf(selector: string): Specificity {
  let text = selector.replace(STRING, '""').replace(ESCAPE, 'x')
  let sum = NONE
  for (const { from, open, close } of calls(text).toReversed()) {
    const name = text.slice(from, open)
    sum = add(sum, ofCall(name, text.slice(open + 1, close)))
    text = `${text.slice(0, from)} ${text.slice(close + 1)}`
  }
  const count = (pattern: RegExp): number => {
    const found = text.match(pattern)?.length ?? 0
    text = text.replace(pattern, ' ')
    return found
  }
  const elements = count(/::[\w-]+/g)
  const attributes = count(/\[[^\]]*\]/g)
  const ids = count(/#[^\s.:#[>+~*]+/g)
  const classes = attributes + count(/[.:][^\s.:#[>+~*]+/g)
  return add(sum, [ids, classes, elements + count(/[^\s>+~*|&,]+/g)])
}

export function compareSpecificity(one: Specificity, other: Specificity): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2]
}

function ofCall(name: string, content: string): Specificity {
  if (name === ':where') return NONE
  if (OF_ARGUMENTS.test(name)) return highest(content)
  const own: Specificity = name.startsWith('::') ? [0, 0, 1] : [0, 1, 0]
  return WITH_ARGUMENTS.test(name) ? add(own, highest(content)) : own
}

function highest(list: string): Specificity {
  return selectorsOf(list)
    .map(specificityOf)
    .reduce((most, one) => (compareSpecificity(one, most) > 0 ? one : most), NONE)
}

function add(one: Specificity, other: Specificity): Specificity {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2]]
}
