import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import type { JsonValue, PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { inputKey } from '../input-key.ts'
import { pageSentence } from '../parts/page-sentence.ts'
import { formKey, inputView, type OpenForm } from './input.ts'
import { loadedView } from './loaded-view.ts'
import { refOf } from '../parts/call-ref.ts'
import { problemKey } from '../problem-key.ts'
import { goTo } from '../walk-messages.ts'

const editView = loadedView<[PendingCall]>({ name: 'edits', box: 'question' }, async () => {
  const { editInputView } = await import('./edit-input.ts')
  return editInputView
})

/**
 * Whether a call may run. All that is shown is made of the tool's own definition and the input, with what shows nothing
 * made visible, so that no text of a model's can look like the card.
 */
export function approvalView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words, local } = context
  const key = inputKey(refOf(context, call))
  const isEdited = local.get(formKey(key)) !== undefined
  return html`
    <div class="approval" part="approval" data-asks=${key}>
      ${
        call.because
          ? html`<p class="because">${words.becauseOf(visibleText(call.because.origin))}</p>`
          : nothing
      }
      ${call.about ? html`<p class="about">${visibleText(call.about.text)}</p>` : nothing}
      ${isEdited ? editView(context, call) : nothing}
      ${isEdited && local.get(problemKey('edits')) === undefined ? nothing : decisionView(context, call)}
    </div>
  `
}

/** Whether a person has another input at hand for it. */
export function isBeingEdited(context: ChatContext, call: PendingCall): boolean {
  const { local } = context
  const key = inputKey(refOf(context, call))
  return local.get(key) !== undefined || local.get(formKey(key)) !== undefined
}

/** Whether all that the card of a call says has been in view: only then can it be approved. */
export function isSeen(context: ChatContext, call: PendingCall): boolean {
  return context.seen.has(inputKey(refOf(context, call)))
}

/** The input that runs is shown: once edited, the new input takes the place of the model's. */
function decisionView(context: ChatContext, call: PendingCall): TemplateResult {
  const edited = parsed(context.local.get<string>(inputKey(refOf(context, call))))
  return html`
    ${edited ? inputView(context, { ...call, input: edited.value }) : askedView(context, call)}
    ${buttonsView(context, call, edited)}
  `
}

/** An input that the card's title says in full is folded. */
function askedView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words } = context
  const block = inputView(context, call)
  return pageSentence(call, words)?.isWhole
    ? html`<details class="fold">
        <summary>${words.input}</summary>
        ${block}
      </details>`
    : block
}

const reasonKey = ({ toolCallId }: PendingCall): string => `reason:${toolCallId}`

interface EditedInput {
  readonly value: JsonValue
}

/** Undefined for no text, and for what is no JSON. */
function parsed(text = ''): EditedInput | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}

function buttonsView(
  context: ChatContext,
  call: PendingCall,
  edited: EditedInput | undefined,
): TemplateResult {
  const { agent, words, local, actions } = context
  const ref = refOf(context, call)
  const key = call.toolCallId
  const approve = (remember?: 'conversation') => (): void =>
    void actions.perform({ name: 'approve', detail: { call, remember }, key }, () =>
      agent.approve(ref, {
        ...(edited && { input: edited.value }),
        ...(remember && { remember }),
      }),
    )
  const reason = local.get<string>(reasonKey(call))
  const deny = (event: Event): void => {
    event.preventDefault()
    if (reason === undefined) return askReason(context, call, event)
    actions.perform({ name: 'deny', detail: { call, reason }, key }, () =>
      agent.deny(ref, reason === '' ? undefined : reason),
    )
  }
  const isSeenWhole = isSeen(context, call)
  const edit = ({ currentTarget }: Event): void => {
    const card = (currentTarget as Element).closest('.approval')
    const form: OpenForm = { from: edited ? edited.value : call.input, card }
    local.set(formKey(inputKey(ref)), form)
  }
  return html`
    ${reasonView(context, call, deny)}
    <div class="buttons">
      <button type="button" class="primary" ?disabled=${!isSeenWhole} @click=${approve()}>
        ${words.approve}
      </button>
      <button type="button" class="deny" @click=${deny}>${words.deny}</button>
      <button type="button" class="quiet" @click=${edit}>${words.editInput}</button>
      ${
        call.rememberable
          ? html`<button
              type="button"
              class="quiet"
              ?disabled=${!isSeenWhole}
              @click=${approve('conversation')}
            >
              ${words.always}
            </button>`
          : nothing
      }
      ${isSeenWhole ? nothing : html`<button type="button" @click=${showUnseen}>${words.showUnseen}</button>`}
    </div>
  `
}

/** Leads to the first part of a card that has not been in view, and shows all of its text. */
function showUnseen({ currentTarget }: Event): void {
  const button = currentTarget as Element
  const card = button.closest<HTMLElement>('.asked-call, .call')
  const part = card?.querySelector<HTMLElement>('.approval [tabindex="0"]') ?? card
  if (!part) return
  part.querySelector<HTMLElement>('dd button')?.click()
  goTo(part)
  part.scrollIntoView()
}

/** Shown at once: within the press's own event, a phone's keyboard opens for it. */
function askReason({ local }: ChatContext, call: PendingCall, { currentTarget }: Event): void {
  const field = besides<HTMLInputElement>(currentTarget, '.reason')
  if (field?.form) field.form.hidden = false
  field?.focus()
  local.set(reasonKey(call), '')
}

function besides<Found extends HTMLElement>(
  target: EventTarget | null,
  selector: string,
): Found | null {
  const approval = target instanceof Element ? target.closest('.approval') : null
  return approval?.querySelector<Found>(selector) ?? null
}

/** A form of its own: Enter sends it, but not the one that ends a composition of an input method. */
function reasonView(
  { words, local }: ChatContext,
  call: PendingCall,
  deny: (event: Event) => void,
): TemplateResult {
  const reason = local.get<string>(reasonKey(call))
  const onKey = (event: KeyboardEvent): void => {
    const { key, repeat, isComposing, currentTarget } = event
    const isGivenUp = key === 'Escape' && !isComposing
    // A bubble stays open; and Enter that has pressed the button and is held denies nothing.
    if (isGivenUp || (key === 'Enter' && repeat)) event.preventDefault()
    if (!isGivenUp) return
    besides(currentTarget, '.deny')?.focus()
    local.set(reasonKey(call), undefined)
  }
  return html`<form ?hidden=${reason === undefined} @submit=${deny}>
    <input
      class="reason"
      aria-label=${words.denyReason}
      placeholder=${words.denyReason}
      .value=${reason ?? ''}
      @input=${({ target }: Event) => local.set(reasonKey(call), (target as HTMLInputElement).value)}
      @keydown=${onKey}
    />
  </form>`
}
