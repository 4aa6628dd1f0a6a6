import fc from 'fast-check'
import { fold } from '../../../src/conversation/fold.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { foldDelta, NOTHING_LIVE, settleLive } from '../../../src/conversation/live.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { Live } from '../../../src/protocol/delta.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { isRow, type StreamItem } from '../../../src/protocol/notices.ts'
import { Scene } from './scene.ts'

export interface Seen {
  readonly state: ConversationState
  readonly live: Live
}

export const NOTHING_SEEN: Seen = { state: emptyState('c'), live: NOTHING_LIVE }

export function see({ state, live }: Seen, item: StreamItem): Seen {
  return isRow(item)
    ? { state: fold(state, [item]), live: settleLive(live, item) }
    : { state, live: foldDelta(live, item) }
}

/** A lawful stream. */
export const streams = fc
  .array(fc.nat({ max: 5039 }), { minLength: 20, maxLength: 900, size: 'max' })
  .map((choices) => new Scene(choices).items)

export function rowsOf(items: readonly StreamItem[]): Row[] {
  return items.filter(isRow)
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const each of Object.values(value)) deepFreeze(each)
  }
  return value
}
