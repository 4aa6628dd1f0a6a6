import { isFlag, isNumber, isText, nullOr, shape, type Check } from '../../lib/shape.ts'
import type { TabShapes } from './tab-channel.ts'

/** The two locks of a conversation: its lease, and the first place in the line of its heirs. */
export type LockRole = 'lease' | 'heir'

export type HandoverAnswer = 'pending' | 'granted' | 'refused'

/** What the holders of leases, and those who want them, post to each other. */
export interface LeaseMessages {
  /** Asks the holder to answer, which a frozen one doesn't. */
  'lease-ask': { readonly conversationId: string; readonly role: LockRole }
  'lease-alive': { readonly conversationId: string; readonly role: LockRole }
  'lease-acquired': { readonly conversationId: string }
  /** Something was decided of a run that other tabs may hold parked. */
  'lease-decided': { readonly conversationId: string }
  'handover-ask': { readonly conversationId: string; readonly requestId: string }
  'handover-answer': { readonly requestId: string; readonly answer: HandoverAnswer }
  /** A tab is new on the channel. */
  'lock-hello': { readonly isAnswer: boolean }
  'lock-request': {
    readonly name: string
    readonly id: string
    readonly ticket: number
    /** It was posted a while before, so that it is older than any that comes without knowing it. */
    readonly isOld: boolean
  }
  /** The request was aborted. */
  'lock-withdrawn': { readonly name: string; readonly id: string }
  'lock-state': LockState
}

/** A lock that is kept by messages, as its holder knows it. */
export interface LockState {
  readonly name: string
  /** Of the request that it was granted to. */
  readonly id: string
  /** How often it was granted before, as far as the holder knew. */
  readonly term: number
  /** The fence of the store that was raised under this lock; null before. */
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
