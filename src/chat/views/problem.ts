import { html, nothing, type TemplateResult } from 'lit'
import { answerKey, problemKey } from '../problem-key.ts'
import type { ChatContext } from '../context.ts'

/** Shows why the last action on a call failed. */
export function problemView(
  { local }: ChatContext,
  call: { readonly toolCallId: string },
  isPending: boolean,
): TemplateResult | typeof nothing {
  const ofAnswer = isPending ? local.get<string>(problemKey(answerKey(call))) : undefined
  const problem = local.get<string>(problemKey(call.toolCallId)) ?? ofAnswer
  return problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`
}
