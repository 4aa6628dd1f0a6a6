import type { FactOf } from '../../protocol/fact.ts'

type Output = Pick<FactOf<'model-output'>, 'message' | 'calls' | 'feedback' | 'finishReason'>

/** Whether the message has nothing for the person: only reasoning, calls or white space. */
export function isBlank({ message }: Pick<Output, 'message'>): boolean {
  return !message.parts.some((part) =>
    part.type === 'text' ? part.text.trim() !== '' : part.type === 'file',
  )
}

/** Whether the answer ended too early: it is blank, or it announced a tool call that never came. */
export function endsEarly(output: Output): boolean {
  const { calls, feedback, finishReason } = output
  if (calls.length > 0 || feedback || /filter|pause/.test(finishReason)) return false
  return finishReason === 'tool-calls' || isBlank(output)
}

/** The note that asks the model for an answer. */
export function noteOn(output: Output): string {
  const what = isBlank(output) ? 'Your last message was empty.' : 'No tool call came.'
  const how = output.finishReason === 'length' ? ', briefly: the output limit was reached' : ''
  return `${what} Call a tool or answer in words${how}.`
}
