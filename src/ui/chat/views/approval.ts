import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../../conversation/index.ts'
import type { JsonValue, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { inputKey, problemKey } from '../local-keys.ts'
import { pageSentence } from '../parts/page-sentence.ts'
import { formKey, inputView, type OpenForm } from './input.ts'
import { loadedView } from './loaded-view.ts'
import type { Maybe } from './problem.ts'
import { callKey, toCallRef } from '../parts/call-ref.ts'
import { goTo, isComposing } from '../walk-messages.ts'

const editView = loadedView<[PendingCall]>({ name: 'edits', box: 'question' }, () =>
  import('./edit-input.ts').then(({ editInputView }) => editInputView),
)

/**
 * Asks whether a call may run. The text comes from the tool's definition and the input. Invisible characters are made
 * visible, so that a model's text can't imitate the card.
 */
export function approvalView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words, local } = context
  const key = approvalKey(context, call)
  const form = local.get<OpenForm>(formKey(key))
  return html`
    <div class="approval" part="approval" data-asks=${key}>
      ${
        call.because
          ? html`<p class="because">${words.becauseOf(visibleText(call.because.origin))}</p>`
          : nothing
      }
      ${call.about && !isBeingEdited(context, call) ? html`<p class="about">${visibleText(call.about.text)}</p>` : nothing}
      ${form ? editView(context, call) : nothing}
      ${form && local.get(problemKey('edits')) === undefined ? nothing : decisionView(context, call)}
      ${discussView(context, call)}
    </div>
  `
}

/** Loads the discussion of a call. Has no placeholder, so that the card doesn't change while it loads. */
const discussView = loadedView<[PendingCall]>({ name: 'discussed' }, () =>
  import('./discussed.ts').then(({ discussView }) => discussView),
)

function approvalKey(context: ChatContext, call: PendingCall): string {
  return inputKey(toCallRef(context, call))
}

/** Whether the person has edited the call's input, or has the edit form open. */
export function isBeingEdited(context: ChatContext, call: PendingCall): boolean {
  const { local } = context
  const key = approvalKey(context, call)
  return (local.get(key) ?? local.get(formKey(key))) !== undefined
}

/** Whether the whole card has been in view. The call can't be approved before. */
export function isSeen(context: ChatContext, call: PendingCall): boolean {
  return context.seen.has(approvalKey(context, call))
}

/** Shows the input that would be used (edited or the model's own), and the buttons. */
function decisionView(context: ChatContext, call: PendingCall): TemplateResult {
  const edited = parseInput(context.local.get<string>(approvalKey(context, call)))
  return html`
    ${edited ? inputView(context, { ...call, input: edited.value }) : requestedInputView(context, call)}
    ${buttonsView(context, call, edited)}
  `
}

/** Shows the input, folded if the title already covers all of it. */
function requestedInputView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words } = context
  const block = inputView(context, call)
  return pageSentence(call, words)?.isWhole
    ? html`<details class="fold">
        <summary>${words.input}</summary>
        ${block}
      </details>`
    : block
}

const reasonKey = (call: PendingCall): string => `reason:${callKey(call)}`

interface EditedInput {
  readonly value: JsonValue
}

/** Parses an edited input. Undefined if there is none or it isn't valid JSON. */
function parseInput(text = ''): EditedInput | undefined {
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
  const ref = toCallRef(context, call)
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
    if (reason === undefined) return showReasonField(context, call, event)
    actions.perform({ name: 'deny', detail: { call, reason }, key }, () =>
      agent.deny(ref, reason === '' ? undefined : reason),
    )
  }
  const isSeenWhole = isSeen(context, call)
  const edit = ({ currentTarget }: Event): void => {
    const card = (currentTarget as Element).closest('.approval')
    local.set(formKey(approvalKey(context, call)), {
      from: edited ? edited.value : call.input,
      card,
    } satisfies OpenForm)
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

/** Scrolls to the first part of the card that hasn't been in view, and expands its text. */
function showUnseen({ currentTarget }: Event): void {
  const button = currentTarget as Element
  const card = button.closest<HTMLElement>('.asked-call, .call')
  const part = card?.querySelector<HTMLElement>('.approval [tabindex="0"]') ?? card
  if (!part) return
  part.querySelector<HTMLElement>('dd button')?.click()
  goTo(part)
  part.scrollIntoView()
}

/** Shows and focuses the field synchronously. Phones open the keyboard only for a focus during the click event. */
function showReasonField(
  { local }: ChatContext,
  call: PendingCall,
  { currentTarget }: Event,
): void {
  const field = findInCard<HTMLInputElement>(currentTarget, '.reason')
  if (field?.form) field.form.hidden = false
  field?.focus()
  local.set(reasonKey(call), '')
}

function findInCard<Found extends HTMLElement>(
  target: EventTarget | null,
  selector: string,
): Found | null {
  return (target as Element).closest('.approval')?.querySelector<Found>(selector) ?? null
}

/** A separate form, so that Enter denies. An Enter that ends an input method's composition doesn't. */
function reasonView(
  { words, local }: ChatContext,
  call: PendingCall,
  deny: (event: Event) => void,
): TemplateResult {
  const reason = local.get<string>(reasonKey(call))
  const onKey = (event: KeyboardEvent): void => {
    const { key, repeat, currentTarget } = event
    const isCanceled = key === 'Escape' && !isComposing(event)
    // Keeps Escape from also closing a bubble, and a held Enter that pressed “Deny” from also sending the form.
    if (isCanceled || (key === 'Enter' && repeat)) event.preventDefault()
    if (!isCanceled) return
    findInCard(currentTarget, '.deny')?.focus()
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

/** Loads the cards of questions and of interrupted calls. */
const askView = loadedView<[PendingCall]>({ name: 'asks', box: 'question' }, () =>
  import('./ask.ts').then(({ askView }) => askView),
)

/** Shows the controls that answer a waiting call, except those that the host's card already has. */
export function waitingView(context: ChatContext, call: PendingCall): Maybe {
  const card = context.answeringCard(call)
  switch (call.kind) {
    case 'approval':
      return card ? discussView(context, call) : approvalView(context, call)
    case 'answer':
      return card ? nothing : askView(context, call)
    case 'decision':
      return askView(context, call)
    case 'output':
    case 'settlement':
      return nothing
  }
}
