import { badConfig } from '../../client/api/failures.ts'
import { isToolPrefix, TOOL_PREFIX_RULE } from '../../lib/tool-prefix.ts'
import type { ModelContext } from './model-context.ts'
import type { PageTool } from './page-tool.ts'

/** Options for using a page's tools. All are optional. */
export interface WebMcpOptions {
  /** Prefix of the tools' model names; must not be empty. Default `web_`. */
  readonly prefix?: string
  /** Tools to include: their names on the page, or a function. Default: all except debugging tools. */
  readonly include?: readonly string[] | ((tool: PageTool) => boolean)
  /** `none` excludes tools of frames in the page, and of the page around a frame. Default `same-origin`. */
  readonly frames?: 'same-origin' | 'none'
  /**
   * True if all scripts on the page are your own. The tools' annotations are then believed, and changed definitions are
   * accepted at once. Default false.
   */
  readonly trusted?: boolean
  /**
   * False: calls need approval only if `toolApproval` requires it. Default: all calls need approval, except those of
   * trusted read-only tools.
   */
  readonly needsApproval?: boolean
  /** Maximum characters of a result; the rest is cut off. Default 20 000. */
  readonly maxResultCharacters?: number
  /** Time limit of a call. Milliseconds. Default 60 000. */
  readonly timeoutMs?: number
  /**
   * Called once for each changed definition of a tool. The tool isn't offered until this returns true or `accept()` is
   * called.
   */
  onDefinitionChange?(change: DefinitionChange): boolean | undefined | Promise<boolean | undefined>
  /** Context to read tools from. Default: the browser's `document.modelContext`. */
  readonly context?: ModelContext
}

/** A page's tool whose definition differs from the one first seen. */
export interface DefinitionChange {
  /** Model name of the tool. */
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
