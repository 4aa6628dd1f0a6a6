import type { JsonSchema } from './json.ts'

/** Effects of a tool, with the meanings that MCP gives them. */
export interface ToolAnnotations {
  /** Changes nothing. Default false. */
  readonly readOnly?: boolean
  /** May destroy or overwrite data, so approval is required by default. Default false for the page's own tools. */
  readonly destructive?: boolean
  /** Repeating a call with the same input changes nothing more. Default false. */
  readonly idempotent?: boolean
  /**
   * A result describes the current state, so it replaces results of earlier calls with the same parameters or more.
   * Replaced results are the first to be left out of requests. Default false.
   */
  readonly supersedes?: boolean
  /** The output holds untrusted content: pages, mails, reviews, files. Default false; for remote tools, true. */
  readonly untrustedContent?: boolean
  /**
   * The effect leaves the app: the tool sends, posts, pays, or goes to another site. Default false; for a remote tool
   * without annotations about its effect, true.
   */
  readonly openWorld?: boolean
  /** A person can undo the effect in the app. Default false. */
  readonly reversible?: boolean
  /** MCP's title. Ignored here. */
  readonly title?: string
}

/** Origin of a remote tool: an MCP server, or a page's WebMCP tools. */
export interface RemoteSource {
  /** Display name or origin. */
  readonly source: string
  /** Distinguishes servers of one source. Never displayed: approvals apply to one endpoint only. */
  readonly endpoint?: string
  /**
   * SHA-256 of the tool as its server defines it, in hexadecimal. An approval doesn't cover a tool with another digest.
   * Missing on plain HTTP.
   */
  readonly digest?: string
  /** The app trusts the annotations of the source's tools. Default false. */
  readonly trusted?: boolean
}

/** The part of a tool that providers and the ACTION reader use. */
export interface ToolDefinition {
  /** Model APIs accept `[a-zA-Z0-9_-]`, 1 to 64 characters. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** Replacements for names that model APIs don't accept. Used only in requests to the model and in its answers. */
export interface NamesForModel {
  readonly name: string
  readonly inputSchema: JsonSchema
  /** Renamed parameters, at any depth: the tool's own name, then the model's. */
  readonly parameters: readonly (readonly [own: string, model: string])[]
}

/** A registered tool as the worker sees it: plain data, with the tool's own names. Functions stay on the page. */
export interface ToolDescriptor extends ToolDefinition {
  readonly title?: string
  /** Undefined if model APIs accept the tool's own names. */
  readonly forModel?: NamesForModel
  readonly annotations: ToolAnnotations
  /** Undefined for the app's own tools. */
  readonly remote?: RemoteSource
  /** The tool has a `commits` function that decides for each call. */
  readonly hasCommits?: true
  /** Source of the untrusted content in the output. Undefined if the output is trusted. */
  readonly untrusted?: string
  /**
   * Calls that need approval while the context holds untrusted content. `ask`: all. `commits`: calls for which the
   * tool's `commits` returns true. `unknown`: all, because the tool has no annotations; its author is warned.
   * Undefined: none.
   */
  readonly whileTainted?: 'ask' | 'commits' | 'unknown'
  /** Time limit in milliseconds, from the start on the page. */
  readonly timeoutMs: number
  /** May run at the same time as other calls, even if it isn't read-only. */
  readonly parallelSafe: boolean
  /** Never runs at the same time as other calls, even if it is read-only. */
  readonly sequential: boolean
  /** `'ask'`: a function or policy on the page decides for each call. */
  readonly needsApproval: boolean | 'ask'
  /** The tool can check whether an interrupted call happened. */
  readonly hasReconcile: boolean
  /** The tool can undo a call. */
  readonly hasUndo?: true
  /** The tool can describe the target of a call. */
  readonly hasDescribe?: true
  /** The tool can name the secret values of an input. */
  readonly hasSecretsIn?: true
  /** The tool has a `consentKey` function, which limits a consent to calls with the same key. */
  readonly hasConsentKey?: true
  /** The tool's function consists of nested calls and steps. */
  readonly composite?: true
  /** Hash of the description for the model and of the approval rules. */
  readonly definition: string
  /** Set for tools that control the run. The worker executes them instead of the page. */
  readonly control?: 'ask-user' | 'finish-task' | 'plan' | 'activate-skill'
  /** The tool is offered only while one of these skills is active. */
  readonly skills?: readonly string[]
}

/**
 * Result of an undo. `failed`: may be retried. `unknown`: the undo has no stored outcome, because it is still running
 * or was interrupted.
 */
export type UndoStatus = 'unknown' | 'done' | 'failed'

/**
 * State of a call. A person must act on `awaiting-approval`, `awaiting-answer` and `awaiting-decision`, the app on
 * `awaiting-output` and `suspended`. `proposed`, `approved` and `executing` proceed on their own. All others are final:
 * see `SettledStatus`.
 */
export type ToolCallStatus =
  | 'proposed'
  | 'invalid'
  | 'awaiting-approval'
  | 'awaiting-answer'
  | 'awaiting-output'
  | 'awaiting-decision'
  | 'approved'
  | 'denied'
  | 'executing'
  | 'suspended'
  | 'succeeded'
  | 'failed'
  | 'aborted'
  | 'interrupted'

/** The final statuses of a call. */
export type SettledStatus = Extract<
  ToolCallStatus,
  'invalid' | 'denied' | 'succeeded' | 'failed' | 'aborted' | 'interrupted'
>
