import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { DirectiveResult } from 'lit/directive.js'
import { repeat } from 'lit/directives/repeat.js'
import type { PendingCall, ShownBranch, ShownCall, ShownMessage } from '../../../index.ts'
import type { ChatContext, LocalState, MessageContext } from '../context.ts'
import { dayFormat, numberFormat, timeFormat, todayFormat } from '../formats.ts'
import { isRunDetached, stateIn } from '../parts/shown-call.ts'
import type { ChatRow } from '../parts/rows.ts'
import { STATES } from '../parts/states.ts'
import { callView, canUndo, problemView, sourceView } from './call.ts'
import { failureView } from './notices.ts'
import { visibleText } from '../../../conversation/index.ts'
import { problemKey, editKey, editSendingKey } from '../local-keys.ts'
import { callKey, isSameCall, toCallRef } from '../parts/call-ref.ts'
import { approvalView, isBeingEdited, isSeen } from './approval.ts'
import { attempt, COPIED_MS } from '../markdown/elements.ts'
import { markdown } from '../markdown/sliced-markdown.ts'
import { visibleLines } from '../parts/failures.ts'
import { shownParts, messageText } from '../parts/text-of.ts'
import { isThinking, thinkingMs } from '../reasoning-times.ts'
import { type Maybe, problemLine } from './problem.ts'
import { fileView } from './attached.ts'
import { copyText } from '../../shared/copy-text.ts'
import { waitForRunStart } from '../actions.ts'
import { titleOf } from '../parts/page-sentence.ts'
import { onEscape } from '../walk-messages.ts'
import { iconButton, stateIcon } from './icon.ts'

/**
 * Renders a row. A message or finished call renders again only when its inputs change, because a long conversation has
 * many.
 */
export function rowView(context: ChatContext, row: ChatRow): TemplateResult | DirectiveResult {
  const { words, locale, local, snapshot } = context
  switch (row.type) {
    case 'day': {
      const isToday = row.at >= new Date().setHours(0, 0, 0, 0)
      return guard(
        [row.at, locale, isToday],
        () =>
          html`<p class="day" part="day">
            ${isToday ? todayFormat(locale).format(0, 'day') : dayFormat(locale).format(row.at)}
          </p>`,
      )
    }
    case 'message':
      return guard(messageDependencies(context, row.message), () =>
        messageView(context, row.message),
      )
    case 'call':
      return isFinished(context, row.call)
        ? guard(callDependencies(context, row.call), () => callView(context, row.call))
        : callView(context, row.call)
    case 'calls':
      // An open group renders its calls, so it depends on the same inputs as they do.
      return isCallsOpen(local, row.key)
        ? callsView(context, row.key, row.calls)
        : guard([...row.calls, words, locale], () => callsView(context, row.key, row.calls))
    case 'approvals':
      return approvalsView(context, row.calls)
    case 'failure': {
      const isNewest = row.failure.runId === snapshot.ended?.runId && snapshot.runId === undefined
      return failureView(context, row.failure.error, isNewest ? STATES.failed.offers : undefined)
    }
    case 'compaction':
      return html`<p class="note">${words.compacted}</p>`
  }
}

function messageDependencies(context: MessageContext, message: ShownMessage): unknown[] {
  const { conversation, words, locale, local, markdown, answers, additions, snapshot } = context
  const branch = snapshot.branches[message.id]
  return [
    message,
    conversation,
    words,
    locale,
    markdown,
    answers,
    additions,
    snapshot.runId,
    branch?.index,
    branch?.ids,
    local.changesOf(message.id),
  ]
}

/** Whether the call has ended, waits for no answer, and has no undo button, which depends on the whole turn. */
function isFinished(context: ChatContext, call: ShownCall): boolean {
  const { snapshot } = context
  const { kind } = stateIn(snapshot, call)
  const isSettled = kind === 'done' || kind === 'problem'
  return (
    isSettled && !canUndo(context, call) && !snapshot.pending.some((each) => isSameCall(each, call))
  )
}

function callDependencies(context: ChatContext, call: ShownCall): unknown[] {
  const { conversation, words, locale, local, renderers, snapshot } = context
  return [
    call,
    conversation,
    words,
    locale,
    renderers,
    context.answeringCard(call),
    snapshot.runId,
    local.changesOf(call.toolCallId),
  ]
}

const openKey = (key: string): string => `open:${key}`

function isCallsOpen(local: LocalState, key: string): boolean {
  return local.get<boolean>(openKey(key)) ?? false
}

/** Folds several calls into one line: calls of one tool, or of several tools that change nothing. */
function callsView(context: ChatContext, key: string, calls: readonly ShownCall[]): TemplateResult {
  const { words, local, locale } = context
  const titles = new Set(calls.map(({ title: each, toolName }) => visibleText(each ?? toolName)))
  const title = [...titles].join(', ')
  const isOpen = isCallsOpen(local, key)
  const count = numberFormat(locale).format(calls.length)
  return html`
    <details
      class="call done calls"
      part="call call-done"
      tabindex="-1"
      ?open=${isOpen}
      @toggle=${({ target, currentTarget }: Event) => {
        if (target === currentTarget) local.set(openKey(key), (target as HTMLDetailsElement).open)
      }}
    >
      <summary>
        ${stateIcon('done')}
        <span class="call-title">${title}</span>
        <span class="call-state">${words.callsDone(count)}</span>
      </summary>
      ${isOpen ? calls.map((call) => callView(context, call)) : nothing}
    </details>
  `
}

const KEY = 'approvals'

/** Shows several calls that wait for approval in one card. A person answers each of them, or all by one press. */
function approvalsView(context: ChatContext, calls: readonly PendingCall[]): TemplateResult {
  const { words, locale, local } = context
  const title = words.waitingCalls(numberFormat(locale).format(calls.length))
  return html`
    <div
      class="call waiting approvals"
      part="call call-waiting"
      role="group"
      tabindex="-1"
      aria-label=${title}
    >
      <p class="summary"><span class="call-title">${title}</span></p>
      ${repeat(calls, callKey, (call) => approvalItemView(context, call))}
      ${repeat(
        [calls],
        () => calls.map(callKey).join(' '),
        () => allView(context, calls),
      )}
      ${problemLine(local.get(problemKey(KEY)))}
    </div>
  `
}

function approvalItemView(context: ChatContext, call: PendingCall): TemplateResult {
  const title = titleOf(context, call)
  return html`
    <div class="asked-call" role="group" aria-label=${title}>
      <p class="call-title">${title}</p>
      ${sourceView(context, call)} ${approvalView(context, call)}
      ${problemView(context, call, true)}
    </div>
  `
}

/** Buttons that answer all calls. A changed list gets new buttons, so a press that began before can't hit them. */
function allView(context: ChatContext, calls: readonly PendingCall[]): TemplateResult {
  const { agent, words, actions } = context
  const refs = calls.map((call) => toCallRef(context, call))
  const approve = (): void =>
    void actions.perform({ name: 'approve', detail: { calls }, key: KEY }, () =>
      agent.approveAll(refs),
    )
  const deny = (): void =>
    void actions.perform({ name: 'deny', detail: { calls }, key: KEY }, () =>
      Promise.all(refs.map((ref) => agent.deny(ref))),
    )
  return html`
    <div class="asked-all">
      <div class="buttons">
        <button
          type="button"
          class="primary"
          ?disabled=${calls.some((call) => isBeingEdited(context, call) || !isSeen(context, call))}
          @click=${approve}
        >
          ${words.approveAll}
        </button>
        <button type="button" @click=${deny}>${words.denyAll}</button>
      </div>
    </div>
  `
}

type Part = ShownMessage['parts'][number]

/** A message of the person or the model. Its calls are rows of their own. */
function messageView(context: MessageContext, message: ShownMessage): TemplateResult {
  const { words } = context
  const sender =
    'trigger' in message ? `${words.trigger} ${visibleText(message.trigger ?? '')}` : undefined
  const isOwn = message.role === 'user' && !sender
  if (hasEditor(context, message)) return editorView(context, message)
  return html`
    <article
      class="message ${isOwn ? 'own' : 'reply'}"
      part="message ${isOwn ? 'own-message' : 'reply'}"
      aria-label=${sender ?? (isOwn ? words.you : words.assistant)}
      tabindex="-1"
      data-message=${message.id}
    >
      ${sender ? html`<p class="note">${sender}</p>` : nothing}
      <div class="content" dir="auto">
        ${guard(
          [message, context.markdown, context.answers, words, thinkingMs(context.local, message)],
          () => shownParts(message).map((part) => partView(context, message, part)),
        )}
      </div>
      ${
        message.role === 'assistant' && message.partial && !isRunDetached(context.snapshot)
          ? html`<p class="note">${words.announceStopped}</p>`
          : nothing
      }
      ${message.rejected ? html`<p class="note">${words.rejected}</p>` : nothing}
      ${('losses' in message ? message.losses : null)?.map(
        ({ code, message: details }) =>
          html`<details class="note">
            <summary>
              ${words.warnings[details.includes('Files were left out') ? 'files' : code]}
            </summary>
            <p class="plain">${visibleLines(details)}</p>
          </details>`,
      )}
      ${reflectionView(context, message)} ${context.additions?.sourcesView(context, message)}
      ${messageActionsView(context, message)}
    </article>
  `
}

/** Shows what reflection did with an answer: its remarks, or the original text. */
function reflectionView(
  { words, markdown: options }: MessageContext,
  { reflection }: ShownMessage,
): Maybe {
  if (!reflection) return nothing
  const isRemark = reflection.mode === 'annotate'
  const text = isRemark ? reflection.text : reflection.original
  return html`<details class="reasoning" part="reflection" ?open=${isRemark}>
    <summary>${isRemark ? words.remarks : words.answerBefore}</summary>
    <div class="markdown" dir="auto" ${markdown({ text, isWhole: true, options, words })}></div>
  </details>`
}

function partView(context: MessageContext, message: ShownMessage, part: Part): Maybe | Node {
  const { words, markdown: options, answers } = context
  const custom =
    message.role === 'assistant' ? attempt(() => answers.renderPart?.(part, message)) : null
  if (custom) return custom
  const isWhole = message.at !== undefined
  switch (part.type) {
    case 'text':
      return message.role === 'user'
        ? html`<p class="plain">${part.text}</p>`
        : html`<div
            class="markdown"
            ${markdown({ text: part.text, isWhole, options, words })}
          ></div>`
    case 'reasoning':
      // Sets the text direction by the content of the reasoning.
      return html`<details class="reasoning" part="reasoning" dir="auto">
        <summary>${reasoningTitle(context, message, part)}</summary>
        <p class="plain" dir="auto">${part.text}</p>
      </details>`
    case 'file':
      return fileView(part, words.attachment(part.filename ?? part.mediaType))
    case 'tool-call':
    case 'tool-result':
      return nothing
  }
}

/** Returns the title of a reasoning part, with its duration if that was measured. */
function reasoningTitle(
  { words, local, locale }: MessageContext,
  message: ShownMessage,
  part: Part,
): string {
  if (isThinking(message))
    return part === message.parts.at(-1) ? words.reasoningUnderWay : words.reasoning
  const ms = thinkingMs(local, message)
  if (ms === undefined) return words.reasoning
  return words.thoughtFor(numberFormat(locale).format(Math.max(1, Math.round(ms / 1000))))
}

/** Shows the actions on a complete message. */
function messageActionsView(context: MessageContext, message: ShownMessage): Maybe {
  const { snapshot, words, local, actions, conversation } = context
  if (message.at === undefined) return nothing
  const isOwn = message.role === 'user'
  const branch = snapshot.branches[message.id]
  const copiedKey = `copied:${message.id}`
  const isCopied = local.get<boolean>(copiedKey) ?? false
  const copy = (): void => {
    copyText(messageText(message), () => {
      local.set(copiedKey, true)
      setTimeout(() => local.set(copiedKey, undefined), COPIED_MS)
    })
  }
  const regenerate = (): void =>
    void actions.perform({ name: 'regenerate', detail: { message } }, () =>
      waitForRunStart(conversation.regenerate(message.id)),
    )
  const isDisabled = snapshot.runId !== undefined
  return html`
    <div class="actions" part="actions">
      ${branch ? branchView(context, branch) : nothing}
      ${iconButton(isCopied ? 'done' : 'copy', isCopied ? words.copied : words.copy, { press: copy })}
      ${
        isOwn
          ? message.trigger
            ? nothing
            : iconButton('edit', words.edit, {
                press: (event) => startEdit(context, message, event),
                isDisabled,
              })
          : iconButton('again', words.regenerate, { press: regenerate, isDisabled })
      }
      ${isOwn ? nothing : context.additions?.actionsView(context, message)}
      <time datetime=${new Date(message.at).toISOString()}>
        ${timeFormat(context.locale).format(message.at)}
      </time>
    </div>
  `
}

function branchView(context: MessageContext, { index, ids }: ShownBranch): TemplateResult {
  const { words, actions, conversation, locale, snapshot } = context
  const number = numberFormat(locale)
  const show = (at: number) => (): void => {
    const id = ids[at]
    if (id !== undefined)
      actions.perform({ name: 'branch', detail: { messageId: id } }, () =>
        conversation.switchBranch(id),
      )
  }
  const isOpen = snapshot.runId !== undefined
  return html`
    <span class="branches">
      ${iconButton('previous', words.previousBranch, { press: show(index - 1), isDisabled: isOpen || index === 0 })}
      <span aria-label=${words.branchOf(number.format(index + 1), number.format(ids.length))}>
        ${number.format(index + 1)}/${number.format(ids.length)}
      </span>
      ${iconButton('next', words.nextBranch, { press: show(index + 1), isDisabled: isOpen || index === ids.length - 1 })}
    </span>
  `
}

function hasEditor({ local }: MessageContext, message: ShownMessage): boolean {
  return local.get(editKey(message)) !== undefined
}

/** Starts to edit one of the person's messages. The pressed button gets the focus, which then moves to the field. */
function startEdit(
  { local }: MessageContext,
  message: ShownMessage,
  { currentTarget }: Event,
): void {
  // Focuses the button, because some browsers don't on a click.
  if (currentTarget instanceof HTMLElement) currentTarget.focus({ preventScroll: true })
  local.set(editKey(message), messageText(message))
}

/** Shows a message as a field. Sending starts a new branch; the field stays until that succeeds. */
function editorView(context: MessageContext, message: ShownMessage): TemplateResult {
  const { words, local, actions } = context
  const text = local.get<string>(editKey(message)) ?? ''
  const isSending = local.get(editSendingKey(message)) === true
  const close = (): void => {
    local.set(problemKey(message.id), undefined)
    local.set(editKey(message), undefined)
  }
  const save = (event: Event): void => {
    event.preventDefault()
    actions.edit(message, text)
  }
  return html`
    <form class="message own editor" tabindex="-1" data-message=${message.id} @submit=${save}>
      <textarea
        dir="auto"
        aria-label=${words.messageLabel}
        ?readonly=${isSending}
        .value=${text}
        @input=${(event: InputEvent) =>
          local.set(editKey(message), (event.target as HTMLTextAreaElement).value)}
        @keydown=${onEscape(close)}
      ></textarea>
      ${problemLine(local.get(problemKey(message.id)))}
      <div class="buttons">
        <button class="primary" aria-disabled=${isSending}>${words.send}</button>
        <button type="button" @click=${close}>${words.cancel}</button>
      </div>
    </form>
  `
}
