import { badConfig } from '../../client/api/failures.ts'
import type { Confirm, PublishPolicy } from './confirm.ts'
import type { ModelContext } from './model-context.ts'

/** How tools are named, who may use them, and which calls need approval. All are optional. */
export interface PublishOptions {
  /** Prefix of the published names. Default: none. */
  readonly prefix?: string
  /** Calls that need `confirm`, with the values of an agent's `toolApproval`. Default `destructive`. */
  readonly toolApproval?: PublishPolicy
  /**
   * Asks a person whether a call may run; only true allows it. Without it, tools whose calls may need approval are not
   * published.
   */
  readonly confirm?: Confirm
  /** Origins of frames, or of pages around this one, that may use the tools as well as this page's origin. */
  readonly exposedTo?: readonly string[]
  /** Ends the publication when aborted. */
  readonly signal?: AbortSignal
  /** Context to publish in. Default: the browser's `document.modelContext`. */
  readonly context?: ModelContext
}

const NAMES: Readonly<Record<keyof PublishOptions, true>> = {
  prefix: true,
  toolApproval: true,
  confirm: true,
  exposedTo: true,
  signal: true,
  context: true,
}

/** Throws `invalid-config`. */
export function checkPublishOptions(options: PublishOptions): void {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw badConfig(`The options of publishTools have no ${name}.`)
  const { toolApproval = 'destructive', prefix = '' } = options
  if (!['never', 'destructive', 'writes', 'always'].includes(toolApproval))
    throw badConfig(
      "toolApproval of publishTools must be 'never', 'destructive', 'writes' or 'always'.",
    )
  if (!/^[\w.-]{0,60}$/.test(prefix))
    throw badConfig('prefix of publishTools must be up to 60 letters, digits, _, - or .')
}
