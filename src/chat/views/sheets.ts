import type { TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'
import { conversationsView } from './conversations.ts'
import { memoriesView } from './memories.ts'

/** Shows the list of conversations or of memories. */
export function sheetView(context: ChatContext): TemplateResult {
  return context.local.get('list') === 'memories'
    ? memoriesView(context)
    : conversationsView(context)
}
