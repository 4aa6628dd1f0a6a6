import { css, html, nothing, render, type TemplateResult } from 'lit'
import { showInput, undoPlan, type UndoPlan, visibleText } from '../../../conversation/index.ts'
import type { ShownCall, UndoneTurn } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { problemKey } from '../local-keys.ts'
import type { UndoTurnWords } from '../words/words.ts'
import { titleOf } from '../parts/page-sentence.ts'
import { stateIcon } from './icon.ts'
import { errorText, type Maybe, problemLine } from './problem.ts'
import { openSheet } from './sheet-dialog.ts'

const EN: UndoTurnWords = {
  all: (count) => `Undo all ${count}…`,
  title: 'Undo what the assistant did?',
  toUndo: 'Will be undone',
  stays: 'Stays as it is',
  confirm: (count, formatted) => (count === 1 ? 'Undo 1 action' : `Undo ${formatted} actions`),
  without: (formatted) => `Skip it and undo ${formatted} more`,
  notHere: 'Can’t be undone on this page',
  reasons: {
    undone: 'Already undone',
    unknown: 'An undo was cut off: check whether it took effect',
    'no-undo': 'Can’t be undone',
    'not-succeeded': 'Didn’t finish: check whether it took effect',
  },
}

const ZH: UndoTurnWords = {
  all: (count) => `全部撤销（${count}）…`,
  title: '撤销助手所做的操作？',
  toUndo: '将撤销',
  stays: '保持不变',
  confirm: (_count, formatted) => `撤销 ${formatted} 项操作`,
  without: (formatted) => `跳过它，再撤销 ${formatted} 项`,
  notHere: '无法在此页面撤销',
  reasons: {
    undone: '已撤销',
    unknown: '撤销被中断，请检查是否已生效',
    'no-undo': '无法撤销',
    'not-succeeded': '未完成，请检查是否已生效',
  },
}

function wordsOf({ locale, words }: ChatContext): UndoTurnWords {
  return { ...(/^zh\b/i.test(locale) ? ZH : EN), ...words.undoTurn }
}

/** Shows a button that undoes a call. The newest undoable call of a turn also gets a button that undoes all of them. */
export function undoView(context: ChatContext, call: ShownCall): TemplateResult {
  const { words, snapshot, actions, conversation, locale } = context
  const { toolCallId } = call
  const at = snapshot.messages.findIndex(({ calls }) => calls?.includes(call))
  const message = snapshot.messages[at]
  // Until older messages are loaded, the turn may have calls that the sheet couldn't show.
  const isWhole =
    snapshot.older === 0 || snapshot.messages.slice(0, at).some(({ role }) => role === 'user')
  const { undoable = [] } = (isWhole && message && undoPlan(snapshot, message.id)) || {}
  const undo = (): void =>
    void actions.perform({ name: 'undo', detail: { call }, key: toolCallId }, () =>
      conversation.undo(toolCallId),
    )
  const undoAll = ({ currentTarget }: Event): void => {
    if (message && currentTarget instanceof Element)
      new Sheet(context, message.id).open(currentTarget)
  }
  // Below the call's title. Set by property: a policy may refuse a style attribute.
  return html`<div class="buttons" .style=${'margin-inline-start: 0.875em; gap: 0'}>
    <button type="button" class="quiet" @click=${undo}>${words.undo}</button>
    ${
      undoable[0] === call && undoable.length > 1
        ? html`<button type="button" class="quiet" aria-haspopup="dialog" @click=${undoAll}>
            ${wordsOf(context).all(numberFormat(locale).format(undoable.length))}
          </button>`
        : nothing
    }
  </div>`
}

/** Dialog that shows what undoing a turn will do, and does it. */
class Sheet {
  readonly #context: ChatContext
  readonly #messageId: string
  readonly #words: UndoTurnWords
  /** The plan that the person was shown. */
  readonly #plan: UndoPlan
  readonly #dialog = document.createElement('dialog')
  readonly #skipped = new Set<string>()
  #isWorking = false
  #failed: UndoneTurn['failed']
  /** Why the undo was refused as a whole. */
  #problem: string | undefined

  constructor(context: ChatContext, messageId: string) {
    this.#context = context
    this.#messageId = messageId
    this.#words = wordsOf(context)
    this.#plan = this.#currentPlan()
  }

  open(opener: Element): void {
    const card = opener.closest<HTMLElement>('.call')
    const unsubscribe = this.#context.conversation.subscribe(() => this.#draw())
    this.#dialog.addEventListener('close', () => {
      unsubscribe()
      // The button is gone once its call is undone, so the card gets the focus.
      if (!opener.isConnected) card?.focus()
    })
    this.#draw()
    openSheet(this.#dialog, opener, { name: 'undo-sheet', styles })
  }

  #currentPlan(): UndoPlan {
    const { conversation } = this.#context
    return undoPlan(conversation.getSnapshot(), this.#messageId) ?? { undoable: [], kept: [] }
  }

  /** Calls that a click undoes: those of the shown plan that are still undoable and not skipped. */
  #remaining(): readonly ShownCall[] {
    const shown = new Set(this.#plan.undoable.map(({ toolCallId }) => toolCallId))
    return this.#currentPlan().undoable.filter(
      ({ toolCallId }) => shown.has(toolCallId) && !this.#skipped.has(toolCallId),
    )
  }

  #draw(): void {
    const { words } = this.#context
    const { undoable, kept } = this.#plan
    const text = this.#words
    render(
      html`
        <h3 id="undo-sheet-title">${text.title}</h3>
        <div class="sheet-content undo-lists">
          <p class="note">${text.toUndo}</p>
          <ul>
            ${undoable.map((call) => this.#itemView(call))}
          </ul>
          ${
            kept.length === 0
              ? nothing
              : html`<p class="note">${text.stays}</p>
                  <ul>
                    ${kept.map(
                      ({ call, reason }) =>
                        html`<li>
                          ${this.#nameView(call)} <small>${text.reasons[reason]}</small>
                        </li>`,
                    )}
                  </ul>`
          }
        </div>
        ${problemLine(this.#problem)}
        <div class="buttons">
          ${this.#buttonsView()}
          <button type="button" autofocus @click=${() => this.#dialog.close()}>
            ${this.#failed || this.#isWorking ? words.close : words.cancel}
          </button>
        </div>
      `,
      this.#dialog,
    )
  }

  #itemView(call: ShownCall): TemplateResult {
    const state = this.#stateOf(call)
    const problem = this.#problemOf(call)
    const isUnderWay = this.#isWorking && state === 'unknown'
    const kind = problem ? 'problem' : state === 'done' ? 'done' : isUnderWay ? 'working' : null
    const note =
      kind === 'done'
        ? this.#context.words.undone
        : this.#skipped.has(call.toolCallId) && this.#words.stays
    return html`<li class=${kind ?? nothing}>
      ${kind ? stateIcon(kind) : nothing} ${this.#nameView(call)}
      ${note ? html`<small>${note}</small>` : nothing} ${problemLine(problem)}
    </li>`
  }

  /** Why the last undo of a call failed. */
  #problemOf({ toolCallId }: Pick<ShownCall, 'toolCallId'>): string | undefined {
    if (toolCallId !== this.#failed?.toolCallId) return undefined
    const { status, message } = this.#failed
    const { reasons, notHere } = this.#words
    return status === 'failed'
      ? visibleText(message)
      : status === 'unknown'
        ? reasons.unknown
        : notHere
  }

  #stateOf({ toolCallId }: ShownCall): ShownCall['undo'] {
    const { messages } = this.#context.conversation.getSnapshot()
    const calls = messages.flatMap(({ calls = [] }) => calls)
    return calls.find((call) => call.toolCallId === toolCallId)?.undo
  }

  #nameView(call: ShownCall): TemplateResult {
    const about = call.about ? visibleText(call.about.text) : inputSummary(call)
    return html`<span class="call-title"
      >${titleOf(this.#context, call)}${about ? html` <small>${about}</small>` : nothing}</span
    >`
  }

  #buttonsView(): Maybe {
    const { words, locale } = this.#context
    const remaining = this.#remaining()
    const failed = this.#failed
    const isRetryable = remaining.some(({ toolCallId }) => toolCallId === failed?.toolCallId)
    const otherCount = remaining.length - Number(isRetryable)
    const format = (count: number): string => numberFormat(locale).format(count)
    const button = (label: string, type: string, press: () => void): TemplateResult =>
      html`<button
        type="button"
        class=${type}
        ?disabled=${this.#isWorking}
        @click=${({ detail }: MouseEvent) => {
          // Ignores the second click of a double click on the button that opened the sheet.
          if (detail < 2) press()
        }}
      >
        ${label}
      </button>`
    if (remaining.length === 0) return nothing
    const undo = (): void => this.#undo()
    if (!failed || !isRetryable)
      return button(
        this.#words.confirm(remaining.length, format(remaining.length)),
        'primary',
        undo,
      )
    const skip = (): void => {
      this.#skipped.add(failed.toolCallId)
      undo()
    }
    return html`${button(words.tryAgain, 'primary', undo)}
    ${otherCount > 0 ? button(this.#words.without(format(otherCount)), '', skip) : nothing}`
  }

  #undo(): void {
    const { actions, conversation, local } = this.#context
    const calls = this.#remaining()
    const chosen = new Set(calls.map(({ toolCallId }) => toolCallId))
    // Skips calls that weren't shown to the person.
    const skip = this.#currentPlan().undoable.flatMap(({ toolCallId }) =>
      chosen.has(toolCallId) ? [] : [toolCallId],
    )
    actions.perform({ name: 'undo', detail: { calls } }, async () => {
      this.#isWorking = true
      this.#failed = this.#problem = undefined
      for (const { toolCallId } of calls) local.set(problemKey(toolCallId), undefined)
      try {
        const undoing = conversation.undoTurn(this.#messageId, { skip })
        this.#draw()
        const { failed } = await undoing
        this.#failed = failed
        if (failed) local.set(problemKey(failed.toolCallId), this.#problemOf(failed))
        else this.#dialog.close()
      } catch (thrown) {
        this.#problem = errorText(thrown)
        // Lets the chat show the problem if the sheet was closed meanwhile.
        if (!this.#dialog.open) throw thrown
      } finally {
        this.#isWorking = false
        this.#draw()
      }
    })
  }
}

/** Characters of an input that tell calls of one tool apart. */
const LONGEST = 80

function inputSummary({ input }: ShownCall): string {
  if (input === undefined) return ''
  const line = showInput(input).replaceAll(/[{}"]/g, '').replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

const styles = css`
  .undo-lists ul {
    padding: 0;
    list-style: none;
  }

  .undo-lists ul + .note {
    margin-block-start: 0.75em;
  }

  .undo-lists li {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.5em;
    align-items: center;
    padding-block: 0.375em;
    border-block-start: 1px solid var(--_line);
    overflow-wrap: anywhere;
  }

  .undo-lists .note + ul > :first-child {
    border: 0;
  }

  .undo-lists .call-title {
    flex: 1 1 10em;
  }

  .undo-lists li.problem {
    color: inherit;
  }

  .undo-lists li > p {
    flex: 1 0 100%;
  }

  .undo-lists .done .icon {
    color: var(--_done);
  }

  .undo-lists .problem .icon {
    color: var(--_problem);
  }
`
