import { bracket, isBlank, isTagStart } from '../char-codes.ts'
import { startsMadeUp, startsOthersTurn } from '../made-up.ts'
import { lookForCall } from './call-start.ts'
import { Fence } from './fence.ts'
import { matchEnding, matchFrame } from './frames.ts'
import { matchHeader } from './harmony.ts'
import { letter } from '../own-text.ts'
import { lookForBlock, mayStartMark } from './place.ts'
import type { Mark, Place, Scan } from './place.ts'
import { matchReasoning } from './reasoning-marks.ts'
import { matchReplyStart } from './reply-start.ts'

const comment = '<!--'

type Look = Mark | 'partial' | undefined

/** Text of the reply. Every mark counts here, except in inline code, which the machine's `CodeContext` tracks. */
export class Prose implements Place {
  readonly name = 'prose'
  readonly #scan: Scan
  /** Only white space of the output was read. */
  #isFirst = true
  /** The model writes control tokens around its messages: one of them began a line. */
  #isFramed = false
  /** Text follows the value of a message to a function. */
  #isPastMessage = false

  constructor(scan: Scan) {
    this.#scan = scan
  }

  look(code: number): Look {
    const { tracker } = this.#scan.code
    const isTag = isTagStart(code)
    if (!isTag && !tracker.lineStart) return undefined
    tracker.flush()
    if (!isTag) return this.#lookForMadeUp() ?? this.#lookForHeader() ?? lookForCall(this.#scan)
    const start = mayStartMark(this.#scan.window)
    if (start === 'partial') return start
    if (!start) return code === bracket ? lookForCall(this.#scan) : undefined
    return (
      this.#lookForTag() ??
      this.#lookForStart() ??
      this.#lookForMadeUp() ??
      this.#lookForFrame(matchFrame) ??
      this.#lookForHeader() ??
      lookForCall(this.#scan) ??
      this.#lookForFrame(matchEnding)
    )
  }

  take(code: number): Place {
    const { window, code: context, quotations, reply } = this.#scan
    if (!isBlank(code)) this.#isFirst = false
    if (!isBlank(code) && reply.isMessage && reply.isWhole) this.#isPastMessage = true
    // Code and quotations don't occur in a value.
    const { isInsideMarked } = reply
    const fed = isInsideMarked ? letter : code
    quotations?.feed(fed)
    context.feed(window.at, fed, quotations === undefined && !isInsideMarked)
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

  /** While a call is held in native mode, quotations aren't known here: the call's reader looks for made-up turns. */
  #lookForMadeUp(): Look {
    const { window, code, reply, quotations } = this.#scan
    const { lineStart } = code.tracker
    const text = window.text.slice(window.at, window.at + 60)
    if (!reply.isHeld && reply.takesCalls && lineStart && this.#isOwn) {
      const found = startsOthersTurn(text)
      return found === true ? { type: 'others-turn' } : found || undefined
    }
    if (quotations || !reply.hasCall) return undefined
    const found = startsMadeUp(text, lineStart)
    return found === true ? { type: 'made-up' } : found || undefined
  }

  #lookForHeader(): Look {
    const { window, foreign, reply, quotations } = this.#scan
    if (!reply.isMessage && !reply.takesCalls) return undefined
    const isFirst = this.#isFirst && foreign !== undefined
    const header = matchHeader(window.text, window.at, isFirst)
    if (typeof header !== 'object') return header
    // Text after a message may quote a call, but a text message ends it.
    const isText = header.kind !== 'call' && reply.isMessage
    if (!isText && !this.#isOwn) {
      quotations?.quoteCall(undefined)
      return undefined
    }
    this.#isFramed = true
    this.#isPastMessage = false
    return header.kind === 'call' && !foreign ? undefined : { type: 'message', header }
  }

  /**
   * Finds control tokens around messages. A token inside a line ends nothing if the model writes none elsewhere (Q2).
   */
  #lookForFrame(match: (text: string, at: number) => Look): Look {
    const { window, reply, quotations } = this.#scan
    if (!reply.takesFrames || quotations?.quotesFrames) return undefined
    const frame = match(window.text, window.at)
    if (typeof frame !== 'object' || frame.type !== 'frame') return frame
    this.#isFramed ||= this.#isOwn
    return { ...frame, endsLine: this.#isFramed }
  }

  /** Returns whether a mark here is the model's own and not quoted (Q2). */
  get #isOwn(): boolean {
    const { code, quotations, reply } = this.#scan
    if (!quotations || (reply.isMessage && !this.#isPastMessage)) return true
    return !quotations.isQuoted && (code.tracker.lineStart || quotations.endsSentence)
  }
}
