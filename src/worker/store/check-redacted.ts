import { isJson } from '../../lib/is-json.ts'
import { isRecord } from '../../lib/shape.ts'
import type { Fact } from '../../protocol/fact.ts'

/** Fields with words of people, models and tools, wherever they are in a fact. The fold relies on all other fields. */
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

/** Fields with content that the fact doesn't need. */
const DROPPABLE: ReadonlySet<string> = new Set([
  'actionText',
  'providerMetadata',
  'foreign',
  'rawInput',
  'filename',
  'note',
  'details',
])

/** Facts that must stay the same: their `reason` is a code, or their `text` has a hash. */
const FIXED: ReadonlySet<Fact['type']> = new Set(['run-parked', 'skill-activated'])

/**
 * Whether a fact differs from the original in its content only. Ids, types, counts and the order of its parts are the
 * same. Pure. The check of rows decides whether the content has a valid shape.
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
    // Content only if it is a string: an object with this name is structure.
    if (isWords(key) && typeof one === 'string') return typeof other === 'string'
    return similar(one, other)
  })
}

function isWords(key: string): boolean {
  return key === 'message' || key === 'reason'
}

/** Whether nothing was added and each field agrees. */
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
