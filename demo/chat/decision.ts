import type { JsonValue, PendingCall } from 'offstage'
import { el, setText } from '../lib/dom.ts'
import { asking } from './asking.ts'
import type { CallAnswers } from './call-answers.ts'
import { createQuestion } from './question-form.ts'

/** What a person answers a call with that waits for them. */
export function createDecision(call: PendingCall, answers: CallAnswers): HTMLElement {
  if (call.kind === 'answer') return createQuestion(call, answers)
  return call.kind === 'approval' ? approval(call, answers) : verdict(call, answers)
}

function approval({ toolCallId, input }: PendingCall, answers: CallAnswers): HTMLElement {
  const editor = el('textarea', { rows: 4, spellcheck: 'false', 'aria-label': 'Input as JSON' })
  editor.value = JSON.stringify(input, null, 2)
  editor.hidden = true
  const approve = el('button', { type: 'button', class: 'primary' }, 'Approve')
  const deny = el('button', { type: 'button' }, 'Deny')
  const edit = el('button', { type: 'button', class: 'quiet', 'aria-expanded': 'false' }, 'Edit')
  const box = asking([approve, deny, edit], editor)

  edit.addEventListener('click', () => {
    editor.hidden = !editor.hidden
    edit.setAttribute('aria-expanded', String(!editor.hidden))
    setText(approve, editor.hidden ? 'Approve' : 'Approve as edited')
    if (editor.hidden) return
    editor.focus()
    box.element.scrollIntoView({ block: 'nearest' })
  })
  approve.addEventListener('click', () =>
    box.send(async () =>
      answers.approve(
        toolCallId,
        editor.hidden ? undefined : (JSON.parse(editor.value) as JsonValue),
      ),
    ),
  )
  deny.addEventListener('click', () => box.send(() => answers.deny(toolCallId)))
  return box.element
}

/** For a call that a crash interrupted: nobody but a person can say what became of it. */
function verdict({ toolCallId }: PendingCall, answers: CallAnswers): HTMLElement {
  const happened = el('button', { type: 'button' }, 'It happened')
  const not = el('button', { type: 'button' }, "It didn't")
  const again = el('button', { type: 'button' }, 'Run it again')
  const box = asking([happened, not, again])
  happened.addEventListener('click', () => box.send(() => answers.resolve(toolCallId, 'happened')))
  not.addEventListener('click', () => box.send(() => answers.resolve(toolCallId, 'did-not-happen')))
  again.addEventListener('click', () => box.send(() => answers.resolve(toolCallId, 'run-again')))
  return box.element
}
