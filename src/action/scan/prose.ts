import { bracket, isBlank } from '../char-codes.ts'
import { lookForCall } from './call-start.ts'
import { Fence } from './fence.ts'
import { matchEnding, matchFrame } from './frames.ts'
import { matchHeader } from './harmony.ts'
import { isTagStart, lookForBlock, mayStartMark } from './place.ts'
import type { Mark, Place, Scan } from './place.ts'
import { matchReasoning } from './reasoning-marks.ts'
import { matchReplyStart } from './reply-start.ts'

const comment = '<!--'

type Look = Mark | 'partial' | undefined

/** Text of the reply, where every mark counts (inline code aside, which the machine's `CodeContext` follows). */
export class Prose implements Place {
  readonly name = 'prose'
  readonly #scan: Scan
  /** Nothing but white space of the output was read. */
  #isFirst = true
  /** The model frames its messages: a token around one began a line. */
  #isFramed = false

  constructor(scan: Scan) {
    this.#scan = scan
  }

  look(code: number): Look {
    const { tracker } = this.#scan.code
    const isTag = isTagStart(code)
    if (!isTag && !tracker.lineStart) return undefined
    tracker.flush()
    if (!isTag) return this.#lookForHeader() ?? lookForCall(this.#scan)
    const start = mayStartMark(this.#scan.window)
    if (start === 'partial') return start
    if (!start) return code === bracket ? lookForCall(this.#scan) : undefined
    return (
      this.#lookForTag() ??
      this.#lookForStart() ??
      this.#lookForFrame(matchFrame) ??
      this.#lookForHeader() ??
      lookForCall(this.#scan) ??
      this.#lookForFrame(matchEnding)
    )
  }

  take(code: number): Place {
    const { window, code: context, quotations, reply } = this.#scan
    if (!isBlank(code)) this.#isFirst = false
    // A message's value holds neither code nor quotations, and is never text.
    if (reply.isMessage && reply.isInsideValue) return this
    quotations?.feed(code)
    context.feed(window.at, code, quotations === undefined)
    return context.tracker.fenced ? new Fence(this.#scan, this) : this
  }

  #lookForStart(): Look {
    const { text, at } = this.#scan.window
    const end = this.#isFirst ? matchReplyStart(text, at) : undefined
    return typeof end === 'number' ? { type: 'reply-start', end } : end
  }

  #lookForTag(): Look {
    const { window, code } = this.#scan
    const { text, at } = window
    const block = lookForBlock(this.#scan)
    if (block) return block
    if (text.startsWith(comment, at)) return { type: 'comment' }
    const { lineStart } = code.tracker
    const tag = matchReasoning(text, at, { opens: true, lineStart })
    return tag ?? (comment.startsWith(text.slice(at, at + 4)) ? 'partial' : undefined)
  }

  #lookForHeader(): Look {
    const { window, foreign, reply, quotations } = this.#scan
    if (!reply.isMessage && !reply.takesCalls) return undefined
    const isFirst = this.#isFirst && foreign !== undefined
    const header = matchHeader(window.text, window.at, isFirst)
    if (typeof header !== 'object') return header
    if (!this.#isOwn) {
      quotations?.quoteCall(undefined)
      return undefined
    }
    this.#isFramed = true
    return header.kind === 'call' && !foreign ? undefined : { type: 'message', header }
  }

  /** Inside a line a frame of a model that writes none elsewhere ends nothing (Q2). */
  #lookForFrame(match: (text: string, at: number) => Look): Look {
    const { window, reply, quotations } = this.#scan
    if (!reply.takesFrames || quotations?.quotesFrames) return undefined
    const frame = match(window.text, window.at)
    if (typeof frame !== 'object' || frame.type !== 'frame') return frame
    this.#isFramed ||= this.#isOwn
    return { ...frame, endsLine: this.#isFramed }
  }

  /** What starts here is the model's own, and no quotation (Q2). */
  get #isOwn(): boolean {
    const { code, quotations, reply } = this.#scan
    if (!quotations || reply.isMessage) return true
    return !quotations.isQuoted && (code.tracker.lineStart || quotations.endsSentence)
  }
}
