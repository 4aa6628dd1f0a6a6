import type { JsonSchema } from './json.ts'

/** What a tool does to the world, with MCP's meanings. */
export interface ToolAnnotations {
  /** Changes nothing. Default false. */
  readonly readOnly?: boolean
  /** May destroy or overwrite. Default false for the page's own tools. Asks for approval. */
  readonly destructive?: boolean
  /** A second run with the same input changes nothing more. Default false. */
  readonly idempotent?: boolean
  /**
   * A result says how something is now: it makes those of earlier calls out of date that had the same parameters, or
   * more of them. Those are the first that are no longer sent. Default false.
   */
  readonly supersedes?: boolean
  /** Its output holds words of others: pages, mails, reviews, files. Default false; of a remote tool, true. */
  readonly untrustedContent?: boolean
  /**
   * Its effect leaves the app: it sends, posts, pays, or goes to another site. Default false; of a remote tool that says
   * nothing of its effect, true.
   */
  readonly openWorld?: boolean
  /** A person can undo its effect in the app. Default false. */
  readonly reversible?: boolean
  /** Of MCP; means nothing here. */
  readonly title?: string
}

/** Where a tool of somebody else comes from: an MCP server, a page's WebMCP tools. */
export interface RemoteSource {
  /** For people: a name, or an origin. */
  readonly source: string
  /** Tells servers of one source apart, and is shown to nobody: an approval for one isn't for another. */
  readonly endpoint?: string
  /** The app believes what its tools say of themselves. Default false. */
  readonly trusted?: boolean
}

/** What providers and the ACTION reader need to know of a tool. */
export interface ToolDefinition {
  /** Model APIs take `[a-zA-Z0-9_-]`, 1 to 64 characters. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** Names that model APIs take, in place of a tool's own. Only the model reads and writes them. */
export interface NamesForModel {
  readonly name: string
  readonly inputSchema: JsonSchema
  /** Parameters with another name, at any depth: the tool's own name, then the model's. */
  readonly parameters: readonly (readonly [own: string, model: string])[]
}

/** A registered tool as the worker sees it: plain data, its functions stay on the page. Names are the tool's own. */
export interface ToolDescriptor extends ToolDefinition {
  readonly title?: string
  /** Absent: model APIs take the tool's own names. */
  readonly forModel?: NamesForModel
  readonly annotations: ToolAnnotations
  /** Absent: of the app's own code. */
  readonly remote?: RemoteSource
  /** The tool says of each call whether it commits. */
  readonly commits?: true
  /** Its output holds words of others: whose. */
  readonly untrusted?: string
  /**
   * Which calls need approval while the context holds untrusted content. `ask`: all. `commits`: those for which the
   * tool's `commits` returns true. `unknown`: all, since the tool has no annotations; its author is warned.
   * Undefined: none for this reason.
   */
  readonly whileTainted?: 'ask' | 'commits' | 'unknown'
  /** Milliseconds from the start on the page. */
  readonly timeoutMs: number
  /** May run beside others though it is not read-only. */
  readonly parallelSafe: boolean
  /** Never beside others, even when read-only. */
  readonly sequential: boolean
  /** `'ask'`: a function or policy on the page decides, call by call. */
  readonly needsApproval: boolean | 'ask'
  /** The tool can say whether an interrupted call happened. */
  readonly hasReconcile: boolean
  /** The tool can undo what a call did. */
  readonly hasUndo?: true
  /** The tool can say what a call is about to act on. */
  readonly describes?: true
  /** The tool can say which values of an input are secret. */
  readonly seals?: true
  /** The tool says which of its calls a consent to later ones is for. */
  readonly hasConsentKey?: true
  /** It is made of nested calls and steps. */
  readonly composite?: true
  /** Equal as long as what the model is told of the tool, and what may be done unasked, is the same. */
  readonly definition: string
  /** Steers the run instead of the page: the worker carries it out. */
  readonly control?: 'ask-user' | 'finish-task' | 'plan' | 'activate-skill'
  /** Offered only while one of these skills is active. */
  readonly skills?: readonly string[]
}

/**
 * What became of undoing a call. `failed`: it may be tried again. `unknown`: it began, and how it ended isn't stored: it is under way, or was cut off.
 */
export type UndoStatus = 'unknown' | 'done' | 'failed'

/**
 * Where a call stands. `awaiting-approval`, `awaiting-answer` and `awaiting-decision` wait for a person, `awaiting-output`
 * and `suspended` for the app; `proposed`, `approved` and `executing` go on by themselves. All others are final:
 * `SettledStatus`.
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

/** The statuses a call can end in. */
export type SettledStatus = Extract<
  ToolCallStatus,
  'invalid' | 'denied' | 'succeeded' | 'failed' | 'aborted' | 'interrupted'
>
