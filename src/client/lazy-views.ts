/** What a page needs that shows conversations, or a list of them: loaded with the first. */
export { ShownConversation } from './shown-conversation.ts'
export { ShownList } from './shown-list.ts'
