import type { JsonValue } from './json.ts'
import type { ToolOutput } from './message.ts'
import type { ConversationScope, RunRef } from './scope.ts'
import type { SettledStatus } from './tool.ts'

/** What happened within a call of a composite tool: its function is run again, and finds all of it. */
export interface Remembered {
  readonly calls: readonly RememberedCall[]
  readonly steps: readonly KeptOutcome[]
  /** Ids of calls and keys of steps, in the order in which the function got, or is to get, what they came to. */
  readonly ended: readonly string[]
}

export interface RememberedCall {
  readonly toolCallId: string
  /** Counts what the function asks for, from 1. */
  readonly position: number
  readonly toolName: string
  readonly input: JsonValue
  /** What it came to; absent while it is open. */
  readonly end?: CallEnd
}

export interface CallEnd {
  readonly status: SettledStatus
  readonly output: ToolOutput
}

/** What is kept of a step, by its key. */
export interface KeptOutcome {
  readonly key: string
  readonly value: JsonValue
}

/** The function of which execution asks. */
interface Within extends ConversationScope, RunRef {
  readonly executionId: string
}

export interface NestedCall extends Within {
  readonly position: number
  readonly toolName: string
  readonly input: JsonValue
}

export interface KeepOutcomes extends Within {
  readonly kept: readonly KeptOutcome[]
}

/** `place`: in `Remembered.ended`. Null: the function is to be suspended, and finds out when it is run again. */
export type NestedAnswer = (CallEnd & NestedPlace) | null

interface NestedPlace {
  readonly toolCallId: string
  readonly place: number
}

/** The place of the last one; -1 of a mark. Null as above. */
export type KeepAnswer = { readonly place: number } | null

/** What a step came to is told from marks, which are no news to the function. */
export function outcomeKey(position: number, name: string): string {
  return `${position}:${name}`
}

/** What was taken at a position, or the step that is about to be done there. */
export function markKey(position: number, mark: 'now' | 'random' | `begun:${string}`): string {
  return `${position}!${mark}`
}

export function isOutcomeKey(key: string): boolean {
  return /^\d+:/.test(key)
}

/** Of a key of either kind. */
export function positionOf(key: string): number {
  return Number.parseInt(key, 10)
}
