import type { JsonValue } from './json.ts'
import type { ToolOutput } from './message.ts'
import type { ConversationScope, RunRef } from './conversation.ts'
import type { SettledStatus } from './tool.ts'

/**
 * Stored results of a composite tool's call. When the tool's function runs again, it gets these results instead of
 * repeating the work.
 */
export interface ReplayLog {
  readonly calls: readonly ReplayedCall[]
  readonly steps: readonly KeptOutcome[]
  /** Ids of calls and keys of steps, in the order in which the function gets their outcomes. */
  readonly ended: readonly string[]
}

export interface ReplayedCall {
  readonly toolCallId: string
  /** Number of this request among all requests of the function, from 1. */
  readonly position: number
  readonly toolName: string
  readonly input: JsonValue
  /** Undefined until the call ends. */
  readonly end?: CallEnd
}

export interface CallEnd {
  readonly status: SettledStatus
  readonly output: ToolOutput
}

/** Stored outcome of a step. */
export interface KeptOutcome {
  readonly key: string
  readonly value: JsonValue
}

/** The execution that a nested request belongs to. */
interface ExecutionScope extends ConversationScope, RunRef {
  readonly executionId: string
}

export interface NestedCall extends ExecutionScope {
  readonly position: number
  readonly toolName: string
  readonly input: JsonValue
}

export interface KeepOutcomes extends ExecutionScope {
  readonly kept: readonly KeptOutcome[]
}

/**
 * Outcome of a nested call. `place`: index in `ReplayLog.ended`. Null if the function must be suspended: it gets the
 * outcome when it runs again.
 */
export type NestedAnswer = (CallEnd & NestedPlace) | null

interface NestedPlace {
  readonly toolCallId: string
  readonly place: number
}

/** `place`: index of the last outcome in `ReplayLog.ended`, or -1 for a mark. Null as in `NestedAnswer`. */
export type KeepAnswer = { readonly place: number } | null

/** Key of a step's outcome. Mark keys have another form, because marks aren't listed in `ReplayLog.ended`. */
export function outcomeKey(position: number, name: string): string {
  return `${position}:${name}`
}

/** Key of a mark: a recorded time or random number, or the start of an at-most-once step. */
export function markKey(position: number, mark: 'now' | 'random' | `begun:${string}`): string {
  return `${position}!${mark}`
}

export function isOutcomeKey(key: string): boolean {
  return /^\d+:/.test(key)
}

/** Position in an outcome's or a mark's key. */
export function positionOf(key: string): number {
  return Number.parseInt(key, 10)
}
