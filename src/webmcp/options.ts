import { badConfig } from '../client/failures.ts'
import { isToolPrefix, TOOL_PREFIX_RULE } from '../lib/tool-prefix.ts'
import type { ModelContext } from './model-context.ts'
import type { PageTool } from './page-tool.ts'

/** Which of a page's tools an agent gets, and how far they are trusted. Each is optional. */
export interface WebMcpOptions {
  /** What the names of the page's tools begin with for the model; never empty. Default `web_`. */
  readonly prefix?: string
  /** Which of the page's tools: by the page's names, or as a function says. Default: all but those for debugging. */
  readonly include?: readonly string[] | ((tool: PageTool) => boolean)
  /** `none`: not those of frames, or of the page around a frame. Default `same-origin`. */
  readonly frames?: 'same-origin' | 'none'
  /**
   * True: the page's scripts are all your own. What the tools say of themselves is believed then, and a definition
   * that changes counts at once. Default false.
   */
  readonly trusted?: boolean
  /** False: calls wait for a person only where `toolApproval` says so. Default: all but those of trusted read-only tools. */
  readonly needsApproval?: boolean
  /** Of a result; what is beyond is cut off. Default 20 000. */
  readonly maxResultCharacters?: number
  /** Milliseconds. Default 60 000. */
  readonly timeoutMs?: number
  /**
   * A tool's definition is no longer the one that was seen first: it isn't offered until this returns true, or
   * `accept()` is called. Asked once for each definition.
   */
  onDefinitionChange?(change: DefinitionChange): boolean | undefined | Promise<boolean | undefined>
  /** Whose tools. Default: the browser's `document.modelContext`. */
  readonly context?: ModelContext
}

/** A page's tool whose definition is another one than when it was first seen. */
export interface DefinitionChange {
  /** As the model knows it. */
  readonly name: string
  readonly before: PageTool
  readonly after: PageTool
}

export interface CheckedOptions extends WebMcpOptions {
  readonly prefix: string
  readonly trusted: boolean
  readonly maxResultCharacters: number
}

const NAMES: Readonly<Record<keyof WebMcpOptions, true>> = {
  prefix: true,
  include: true,
  frames: true,
  trusted: true,
  needsApproval: true,
  maxResultCharacters: true,
  timeoutMs: true,
  onDefinitionChange: true,
  context: true,
}

/** Throws `invalid-config`. */
export function checkWebMcpOptions(options: WebMcpOptions): CheckedOptions {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw badConfig(`The options of WebMCP have no ${name}.`)
  const { prefix = 'web_', trusted = false, maxResultCharacters = 20_000, frames } = options
  if (!isToolPrefix(prefix)) throw badConfig(`prefix of WebMCP ${TOOL_PREFIX_RULE}`)
  if (!(maxResultCharacters > 0)) throw badConfig('maxResultCharacters of WebMCP must be above 0.')
  if (frames !== undefined && frames !== 'same-origin' && frames !== 'none')
    throw badConfig("frames of WebMCP must be 'same-origin' or 'none'.")
  return { ...options, prefix, trusted, maxResultCharacters }
}

export function isIncluded(tool: PageTool, { include, frames }: WebMcpOptions): boolean {
  if (tool.isElsewhere && frames === 'none') return false
  if (!include) return true
  return typeof include === 'function' ? include(tool) : include.includes(tool.pageName)
}
