import type { Recording } from './recording.ts'
import { BEGINNING } from './world/world.ts'

/** Ids as the code writes the worlds' random numbers: zeros and a count, in its alphabets. */
const RANDOM_ID = /A{12}[\w-]{4}|0{17}[0-9a-z]{3}|0{13}[0-9A-Za-d]{3}|0{10}[0-9a-f]{6}/g

const TIMES: ReadonlySet<string> = new Set(['at', 'createdAt', 'updatedAt', 'startedAt', 'endedAt'])

/**
 * A recording in which random ids have names by the order in which they are seen, and times count from the
 * beginning: as plain data, so that nothing of the code that was recorded is in it.
 */
export function named(recording: Recording): Recording {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const nameOf = (id: string, kind: string): string => {
    const known = names.get(id)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    names.set(id, `${kind}-${count}`)
    return `${kind}-${count}`
  }
  const plain = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      let at = 0
      return value.replace(RANDOM_ID, (id) => nameOf(id, kindOf(key, at++)))
    }
    if (typeof value === 'number') return TIMES.has(key) ? value - BEGINNING : value
    if (Array.isArray(value)) return value.map((each) => plain(each, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => [plain(name, 'conversationId'), plain(each, name)]),
    )
  }
  return plain(recording, '') as Recording
}

/** The kind of the n-th id within a text, by the name of the field. */
function kindOf(key: string, index: number): string {
  switch (key) {
    case 'executionId':
      return index === 0 ? 'page' : 'execution'
    case 'toolCallId':
      return 'call'
    case 'conversationId':
      return 'conversation'
    case 'runId':
      return 'run'
    default:
      return 'id'
  }
}
