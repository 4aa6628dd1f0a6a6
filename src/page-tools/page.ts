/** A native `alert`, `confirm` or `prompt` that the page opened during an action. */
export interface NativeDialog {
  readonly type: 'alert' | 'confirm' | 'prompt'
  readonly message: string
  readonly defaultValue?: string
}

/** A function accepts by returning `true` or a string, and dismisses by returning `false` or nothing. */
export type DialogPolicy =
  | 'accept'
  | 'dismiss'
  | ((dialog: NativeDialog) => boolean | string | void | null)

/** Action of a tool on an element. `enter`: presses Enter or Space on the element; `drop`: drops something on it. */
export type PageAction = 'click' | 'enter' | 'type' | 'select' | 'check' | 'press' | 'drag' | 'drop'

/** Limits and settings of the page tools. */
export interface PageOptions {
  /** Restricts the tools to this element: nothing outside it is read or used. Default: the page's body. */
  readonly root?: Element | (() => Element | null)
  /** Selectors. Actions are allowed only inside elements that match a selector. Default: everywhere in `root`. */
  readonly allow?: readonly string[]
  /** Selectors. Nothing is read or used inside elements that match a selector. */
  readonly deny?: readonly string[]
  /** Selectors of elements whose text and values are masked, besides `data-offstage-mask` and secret fields. */
  readonly mask?: readonly string[]
  /** Maximum length of a snapshot, in tokens. Default 2000. */
  readonly maxTokens?: number
  /** Answers native dialogs during actions. Default: they are left to the person. */
  readonly dialogs?: DialogPolicy
  /**
   * Returns the file for a name that the model enters into a file input, for example an attachment of the conversation.
   * Null or undefined means that no such file exists: the model gets an error. By default, the model can't enter files.
   */
  readonly files?: (name: string) => File | null | undefined | Promise<File | null | undefined>
  /** Origins that `navigate` is allowed to go to, besides the page's own. */
  readonly origins?: readonly string[]
  /** Shows each action on the page. Default false. */
  readonly showActions?: boolean
  /**
   * Returns `'commit'` for an action that always needs approval, as for elements marked `data-offstage-confirm`.
   * Otherwise the agent's `toolApproval` decides. Must not change the page.
   */
  readonly classify?: (element: Element, action: PageAction) => 'commit' | undefined
  /** Maximum time that an action waits until the page stops changing. Milliseconds. Default 1500. */
  readonly settleTimeoutMs?: number
}

/** Options of every function of this entry. */
export interface ActOptions {
  /** Made by `createPage`. Default: the whole page without limits. */
  readonly page?: Page
  /** Aborts searches, waits, and actions that haven't begun. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A page with limits; made by `createPage`. */
export interface Page {
  readonly options: PageOptions
  /** Forgets snapshots, disconnects observers and removes overlays. The tools still work afterwards. */
  release(): void
}

/** Aborted and replaced when their page is released, because a released page can be used again. */
const lifetimes = new WeakMap<Page, AbortController>()

/** Creates a page, or a part of one, with limits on what may be read and done. Has no effect until it is used. */
export function createPage(options: PageOptions = {}): Page {
  const page: Page = {
    options,
    release() {
      const lifetime = lifetimes.get(page)
      lifetimes.set(page, new AbortController())
      lifetime?.abort()
    },
  }
  lifetimes.set(page, new AbortController())
  return page
}

/**
 * Returns a signal that the page's next release aborts. Throws `invalid-input` for a page that `createPage` didn't
 * make.
 */
export function releaseSignal(page: Page): AbortSignal {
  const lifetime = lifetimes.get(page)
  if (!lifetime) throw new PageError('invalid-input', 'The page must come from createPage().')
  return lifetime.signal
}

/** Why a page tool refused or failed. Minor versions may add codes. */
export type PageErrorCode =
  | 'unknown-ref'
  | 'stale-ref'
  | 'not-found'
  | 'ambiguous'
  | 'hidden'
  | 'disabled'
  | 'covered'
  | 'outside'
  | 'unconfirmed'
  | 'read-only'
  | 'refused-value'
  | 'unsupported'
  | 'timeout'
  | 'invalid-input'
  | 'unavailable'

/** Thrown by page tools. The message is for the model: what is wrong and what to do next. */
export class PageError extends Error {
  override readonly name: string = 'PageError'
  readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string) {
    super(message)
    this.code = code
  }

  /** Works across realms, unlike `instanceof`. */
  static is(value: unknown): value is PageError {
    return value instanceof Error && value.name === 'PageError'
  }
}

/** How long to wait for a stalled server. Milliseconds. */
const LOAD_MS = 60_000

/**
 * Returns a function that loads a part of the package, once. Retries a failed load once, then rejects with
 * `unavailable`.
 */
export function part<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  const loadOnce = async (): Promise<Part> => {
    const completed = new AbortController()
    try {
      return await Promise.race([load().catch(load), stalled(completed.signal)])
    } catch (thrown) {
      loading = undefined
      throw new PageError(
        'unavailable',
        `The code of the page tools could not be loaded, so nothing was done. ${String(thrown)}`,
      )
    } finally {
      completed.abort()
    }
  }
  return () => (loading ??= loadOnce())
}

function stalled(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server does not answer')), LOAD_MS)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
