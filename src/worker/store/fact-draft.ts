import type { Fact, FactOf } from '../../protocol/fact.ts'
import { FACTS } from './fact-table.ts'

type FactWithMessage = FactOf<
  | 'run-started'
  | 'model-output'
  | 'step-cut'
  | 'answer-rejected'
  | 'messages-imported'
  | 'message-delivered'
>

type WithoutParent<Each extends FactWithMessage> = Each extends FactWithMessage
  ? Omit<Each, 'parentId'> & { readonly parentId?: string | null }
  : never

/** A fact to append. Its messages become children of the head, unless the draft names another parent. */
export type FactDraft = (Exclude<Fact, FactWithMessage> | WithoutParent<FactWithMessage>) & {
  /** Default: the run of the append. */
  readonly runId?: string | null
}

/** The facts with their parents set, for a conversation with this head. Pure. */
export function withParents(
  drafts: readonly FactDraft[],
  head: string | null,
): (Fact & { readonly runId?: string | null })[] {
  let parent = head
  return drafts.map((draft) => {
    const needsParent = hasParentField(draft) && draft.parentId === undefined
    const fact = { ...draft, ...(needsParent && { parentId: parent }) } as Fact
    parent = lastMessageId(fact) ?? parent
    return fact
  })
}

function hasParentField(draft: FactDraft): draft is WithoutParent<FactWithMessage> & FactDraft {
  return 'parentId' in FACTS[draft.type].fields
}

/** The new head after a fact. Null if the fact doesn't move the head. */
function lastMessageId(fact: Fact): string | null {
  switch (fact.type) {
    case 'run-started':
      return fact.message?.id ?? fact.parentId
    case 'step-cut':
      return fact.message?.id ?? null
    case 'answer-rejected':
      return fact.message.id
    case 'model-output':
      return (fact.feedback ?? fact.reminder)?.id ?? fact.toolsId ?? fact.message.id
    case 'messages-imported':
      return fact.messages.at(-1)?.id ?? null
    case 'message-delivered':
      return fact.messageId
    case 'head-moved':
      return fact.to
    default:
      return null
  }
}
