import type { FieldsSchema, FieldValue, PendingCall, Question, QuestionAnswer } from 'offstage'
import { el } from '../lib/dom.ts'
import { asking } from './asking.ts'
import type { CallAnswers } from './call-answers.ts'
import { createField } from './question-field.ts'

type Answer = string | QuestionAnswer

/** What the agent asks, as a form. All of its words are a model's: they are text nodes. */
export function createQuestion(call: PendingCall, answers: CallAnswers): HTMLElement {
  const { question } = call
  if (question?.fields) return fieldsForm(call, question.fields, answers)
  return textForm(call, question, answers)
}

function fieldsForm(call: PendingCall, fields: FieldsSchema, answers: CallAnswers): HTMLElement {
  const { question } = call
  const controls = Object.entries(fields.properties).map(([name, schema]) => ({
    name,
    ...createField(name, schema, {
      isRequired: fields.required?.includes(name) === true,
      isSensitive: question?.sensitive?.includes(name) === true,
    }),
  }))
  const elements = controls.map(({ element }) => element)
  const read = (): Answer => {
    const content: Record<string, FieldValue> = {}
    for (const { name, value } of controls) {
      const given = value()
      if (given !== undefined) content[name] = given
    }
    return { action: 'accept', content }
  }
  return form(call, answers, { controls: elements, read })
}

function textForm(
  call: PendingCall,
  question: Question | undefined,
  answers: CallAnswers,
): HTMLElement {
  const input = el('input', { 'aria-label': 'Your answer', required: true, autocomplete: 'off' })
  const options = (question?.options ?? []).map((option) => {
    const button = el('button', { type: 'submit' }, option)
    button.addEventListener('click', () => (input.value = option))
    return button
  })
  const choices = el('div', { class: 'decision-buttons' }, ...options)
  const controls = [...(options.length > 0 ? [choices] : []), input]
  return form(call, answers, { controls, read: () => input.value })
}

function form(
  { toolCallId, question }: PendingCall,
  answers: CallAnswers,
  { controls, read }: { readonly controls: readonly HTMLElement[]; readonly read: () => Answer },
): HTMLElement {
  const send = el('button', { type: 'submit', class: 'primary' }, 'Answer')
  const skip = el('button', { type: 'button' }, "I'd rather not say")
  const box = asking([send, skip])
  const words = el('p', { class: 'text' }, question?.question ?? '')
  const element = el('form', { class: 'question' }, words, ...controls, box.element)
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    box.send(() => answers.answer(toolCallId, read()))
  })
  skip.addEventListener('click', () =>
    box.send(() => answers.answer(toolCallId, { action: 'decline' })))
  return el('div', {}, element)
}
