/** Views of conversations, and of lists of them. Loaded with the first view. */
export { ShownConversation } from './shown-conversation.ts'
export { ShownList } from './shown-list.ts'
