import { isJson } from '../../lib/is-json.ts'
import { isRecord } from '../../lib/shape.ts'
import type { Fact } from '../../protocol/fact.ts'

/** What people, models and tools say, wherever it stands in a fact: all else is what the fold goes by. */
const CONTENT: ReadonlySet<string> = new Set([
  'text',
  'input',
  'value',
  'values',
  'answer',
  'question',
  'options',
  'description',
  'title',
  'content',
  'summary',
  'items',
  'appended',
  'rewritten',
  'suggestion',
  'data',
])

/** The same, where the fact means the same without. */
const DROPPABLE: ReadonlySet<string> = new Set([
  'actionText',
  'providerMetadata',
  'foreign',
  'rawInput',
  'filename',
  'note',
  'details',
])

/** Of facts that hold nothing of the conversation's: a reason of one is a code, and a text has a hash. */
const FIXED: ReadonlySet<Fact['type']> = new Set(['run-parked', 'skill-activated'])

/**
 * Whether a fact differs from what it was in its content only: the ids, types, counts and the order of its parts are as
 * they were. Pure. Whether the content has the shape that it must have, the check of rows says.
 */
export function isRedaction(before: Fact, after: unknown): after is Fact {
  return isJson(after) && (FIXED.has(before.type) ? same : similar)(before, after)
}

function same(before: unknown, after: unknown): boolean {
  return agree(before, after, same)
}

function similar(before: unknown, after: unknown): boolean {
  return agree(before, after, (one, other, key) => {
    if (DROPPABLE.has(key)) return true
    if (CONTENT.has(key)) return other !== undefined || one === undefined
    // Words where they are texts: an object of this name is a part of the fact.
    if (isWords(key) && typeof one === 'string') return typeof other === 'string'
    return similar(one, other)
  })
}

function isWords(key: string): boolean {
  return key === 'message' || key === 'reason'
}

/** Nothing was added; each field agrees. */
function agree(
  before: unknown,
  after: unknown,
  fieldAgrees: (one: unknown, other: unknown, key: string) => boolean,
): boolean {
  if (Array.isArray(before))
    return (
      Array.isArray(after) &&
      before.length === after.length &&
      before.every((each, index) => fieldAgrees(each, after[index], ''))
    )
  if (!isRecord(before)) return before === after
  if (!isRecord(after)) return false
  return (
    Object.keys(after).every((key) => key in before) &&
    Object.entries(before).every(([key, each]) => fieldAgrees(each, after[key], key))
  )
}
