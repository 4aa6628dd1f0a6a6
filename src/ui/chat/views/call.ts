import { html, nothing, type TemplateResult } from 'lit'
import { showInput, visibleText } from '../../../conversation/index.ts'
import type { PendingCall, ShownCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import {
  type CallState,
  outputText,
  progressOf,
  resultOf,
  stateIn,
  distinctiveValue,
} from '../parts/shown-call.ts'
import { withoutRefs } from '../parts/page-call.ts'
import { isBuiltIn, titleOf } from '../parts/page-sentence.ts'
import { stateIcon } from './icon.ts'
import { waitingView } from './approval.ts'
import { answerKey, problemKey } from '../local-keys.ts'
import { repeat } from 'lit/directives/repeat.js'
import { sharedApprovalCalls } from '../parts/rows.ts'
import { callKey, isSameCall } from '../parts/call-ref.ts'
import { loadedView } from './loaded-view.ts'
import { type Maybe, problemLine } from './problem.ts'

const undoView = loadedView<[ShownCall]>({ name: 'undo', box: 'note' }, () =>
  import('./undo-turn.ts').then(({ undoView }) => undoView),
)

/** Shows a tool call: title, state, input, output, and the controls that it waits for. */
export function callView(context: ChatContext, call: ShownCall): TemplateResult {
  const { words, snapshot } = context
  const state = stateIn(snapshot, call)
  const { kind, word } = state
  const title = titleOf(context, call)
  // A waiting call shows its whole input below, and no text that a model wrote next to its title.
  const value = kind === 'waiting' || call.about || isBuiltIn(call) ? '' : distinctiveValue(call)
  const result = resultOf(call)
  const pending = snapshot.pending.find((each) => isSameCall(each, call))
  const isOwnCard = Object.hasOwn(context.renderers, call.toolName)
  // Set by property: a policy without `unsafe-inline` refuses a style attribute.
  return html`
    <div
      class="call ${kind} ${isOwnCard ? 'card' : ''}"
      part="call call-${kind}"
      role="group"
      tabindex="-1"
      aria-label=${value ? `${title}: ${value}` : title}
      .style=${`--depth: ${call.path.length - 1}`}
    >
      ${
        isOwnCard
          ? html`<slot name=${`call-${call.toolCallId}`}></slot>`
          : detailsView(context, call, { title, value, state })
      }
      ${result && !result.isDone && result.text ? html`<p class="note">${withoutRefs(call, result.text)}</p>` : nothing}
      ${sourceView(context, call)} ${untilView(context, pending)}
      ${call.about && !pending && !context.answeringCard(call) ? html`<p class="about">${visibleText(call.about.text)}</p>` : nothing}
      ${kind === 'working' && snapshot.ownership !== 'none' ? progressView(call) : nothing}
      ${pending ? waitingView(context, pending) : nothing}
      ${call.output?.type === 'denied' && call.output.reason ? html`<p class="note">${visibleText(call.output.reason)}</p>` : nothing}
      ${undoneView(context, call)} ${problemView(context, call, pending !== undefined)}
      ${word === 'interrupted' && !pending ? html`<p>${words.interruptedWords}</p>` : nothing}
    </div>
  `
}

interface CallTitle {
  readonly title: string
  /** Tells calls of one tool apart; may be empty. */
  readonly value: string
  readonly state: CallState
}

function detailsView(
  context: ChatContext,
  call: ShownCall,
  { title, value, state }: CallTitle,
): TemplateResult {
  const { words, local } = context
  const { toolCallId } = call
  const key = `open:${toolCallId}`
  const isOpen = local.get<boolean>(key) ?? false
  const input = inputOf(call)
  return html`
    <details
      ?open=${isOpen}
      @toggle=${({ target }: Event) => local.set(key, (target as HTMLDetailsElement).open)}
    >
      <summary>
        ${stateIcon(state.kind)}
        <span class="call-title">${title}</span>
        ${value ? html`<span class="call-value">${value}</span>` : nothing}
        <span class="call-state">${resultIn(call) ?? words.states[state.word]}</span>
      </summary>
      ${
        isOpen
          ? html`
              ${input === '' ? nothing : blockView(context, `whole-input:${toolCallId}`, { label: words.input, text: input })}
              ${call.output ? blockView(context, `whole-output:${toolCallId}`, { label: words.output, text: withoutRefs(call, outputText(call.output)) }) : nothing}
              ${call.error ? html`<p class="problem">${visibleText(withoutRefs(call, call.error.message))}</p>` : nothing}
            `
          : nothing
      }
    </details>
  `
}

/**
 * Returns the text that replaces “Done” in a row. Null for a built-in page tool, whose title already has the report.
 */
function resultIn(call: ShownCall): string | null {
  const result = isBuiltIn(call) || call.source !== undefined ? null : resultOf(call)
  return result?.isDone ? result.text : null
}

/** Shows the source of the tool, which the tool's title might not reveal. */
export function sourceView({ words }: ChatContext, { source }: Pick<ShownCall, 'source'>): Maybe {
  return source === undefined
    ? nothing
    : html`<p class="note source">${words.from(visibleText(source))}</p>`
}

function untilView({ words, locale }: ChatContext, pending: PendingCall | undefined): Maybe {
  if (pending?.until === undefined) return nothing
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' })
  return html`<p class="note">${words.until(format.format(pending.until))}</p>`
}

/** Returns the input as text. Empty if there are no parameters. */
function inputOf({ input, inputText = '' }: ShownCall): string {
  const text = input === undefined ? visibleText(inputText) : showInput(input)
  return text === '{}' ? '' : text
}

/** Characters of a long text that are shown before a person asks for all of it. */
const LONGEST = 4000

function blockView(
  { words, local, locale }: ChatContext,
  key: string,
  { label, text }: { readonly label: string; readonly text: string },
): TemplateResult {
  const isCut = text.length > LONGEST && !local.get<boolean>(key)
  return html`
    <p class="label">${label}</p>
    <pre tabindex="0" aria-label=${label}>${isCut ? `${text.slice(0, LONGEST)}…` : text}</pre>
    ${
      isCut
        ? html`<button type="button" class="quiet" @click=${() => local.set(key, true)}>
            ${words.showAll(numberFormat(locale).format(text.length))}
          </button>`
        : nothing
    }
  `
}

/** Shows a tool's progress: a bar for a number between 0 and 1, and its text. */
function progressView({ progress }: ShownCall): Maybe {
  const { ratio, text } = progressOf(progress)
  if (ratio === undefined && text === undefined) return nothing
  return html`<p class="progress">
    ${ratio === undefined ? nothing : html`<progress max="1" .value=${ratio}></progress>`}
    ${text === undefined ? nothing : visibleText(text)}
  </p>`
}

/** Shows that a call was undone, or offers to undo it. */
function undoneView(context: ChatContext, call: ShownCall): Maybe {
  if (call.undo === 'done') return html`<p class="note">${context.words.undone}</p>`
  return canUndo(context, call) ? undoView(context, call) : nothing
}

/** Whether the call's card has a button that undoes it. */
export function canUndo({ snapshot }: ChatContext, { undoable }: ShownCall): boolean {
  return undoable === true && snapshot.runId === undefined
}

/** Shows why the last action on a call failed. */
export function problemView(
  { local }: ChatContext,
  call: { readonly toolCallId: string },
  isPending: boolean,
): Maybe {
  const answerProblem = isPending ? local.get<string>(problemKey(answerKey(call))) : undefined
  return problemLine(local.get<string>(problemKey(call.toolCallId)) ?? answerProblem)
}

/** Shows waiting calls of child agents, one by one. */
export function childCallsView(context: ChatContext): TemplateResult {
  const { snapshot, words, renderers } = context
  const shared = sharedApprovalCalls(snapshot, (toolName) => Object.hasOwn(renderers, toolName))
  const calls = snapshot.pending.filter(
    (call) =>
      call.conversationId !== undefined &&
      call.conversationId !== snapshot.conversationId &&
      !shared.includes(call),
  )
  return html`${repeat(calls, callKey, (call) => {
    const title = titleOf(context, call)
    return html`<div
      class="call waiting"
      part="call call-waiting"
      role="group"
      tabindex="-1"
      aria-label=${title}
    >
      <p class="summary">
        ${stateIcon('waiting')}
        <span class="call-title">${title}</span>
        <span class="call-state">${words.states.waiting}</span>
      </p>
      ${sourceView(context, call)} ${waitingView(context, call)} ${problemView(context, call, true)}
    </div>`
  })}`
}
