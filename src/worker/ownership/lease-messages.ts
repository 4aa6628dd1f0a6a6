import { isFlag, isNumber, isText, nullOr, shape, type Check } from '../../lib/shape.ts'
import type { TabShapes } from './tab-channel.ts'

/** The two locks of a conversation: its lease, and the first place in the line of its heirs. */
export type LockRole = 'lease' | 'heir'

export type HandoverAnswer = 'pending' | 'granted' | 'refused'

/** Messages between holders of leases and the tabs that want them. */
export interface LeaseMessages {
  /** Asks the holder to answer. A frozen one doesn't. */
  'lease-ask': { readonly conversationId: string; readonly role: LockRole }
  'lease-alive': { readonly conversationId: string; readonly role: LockRole }
  'lease-acquired': { readonly conversationId: string }
  /** A decision was made on a run that other tabs may hold paused. */
  'lease-decided': { readonly conversationId: string }
  'handover-ask': { readonly conversationId: string; readonly requestId: string }
  'handover-answer': { readonly requestId: string; readonly answer: HandoverAnswer }
  /** The sender is new on the channel, or answers a new tab (`isAnswer`). */
  'lock-hello': { readonly isAnswer: boolean }
  'lock-request': {
    readonly name: string
    readonly id: string
    readonly ticket: number
    /** True once the time for objections is over. The request then precedes those made without knowing of it. */
    readonly isOld: boolean
  }
  /** The request was aborted. */
  'lock-withdrawn': { readonly name: string; readonly id: string }
  'lock-state': LockState
}

/** A lock kept by messages, as its holder knows it. */
export interface LockState {
  readonly name: string
  /** Id of the request that holds the lock. */
  readonly id: string
  /** How often the lock was granted before, as far as the holder knew. */
  readonly term: number
  /** Epoch that was claimed in the store under this lock. Null before that. */
  readonly epoch: number | null
  readonly isHeld: boolean
}

const isRole: Check = (value) => value === 'lease' || value === 'heir'
const isAnswer: Check = (value) => value === 'pending' || value === 'granted' || value === 'refused'
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0

export const LEASE_MESSAGES: TabShapes<LeaseMessages> = {
  'lease-ask': shape({ conversationId: isText, role: isRole }),
  'lease-alive': shape({ conversationId: isText, role: isRole }),
  'lease-acquired': shape({ conversationId: isText }),
  'lease-decided': shape({ conversationId: isText }),
  'handover-ask': shape({ conversationId: isText, requestId: isText }),
  'handover-answer': shape({ requestId: isText, answer: isAnswer }),
  'lock-hello': shape({ isAnswer: isFlag }),
  'lock-request': shape({ name: isText, id: isText, ticket: isCount, isOld: isFlag }),
  'lock-withdrawn': shape({ name: isText, id: isText }),
  'lock-state': shape({
    name: isText,
    id: isText,
    term: isCount,
    epoch: nullOr(isNumber),
    isHeld: isFlag,
  }),
}
