export {
  createChatTransport,
  type ChatTransportOptions,
  type OffstageChatTransport,
  type ReconnectOptions,
  type SendOptions,
} from './create-chat-transport.ts'
export { loadUIMessages } from './to-ui-messages.ts'
export { toUIMessages } from './to-ui-messages.ts'
export type {
  OffstageUIMessage,
  UIApproval,
  UIChunk,
  UICommonChunk,
  UIDataPart,
  UIFilePart,
  UIMessageLike,
  UIMetadata,
  UIOrderedPart,
  UISteeringPart,
  UITextPart,
  UIToolPart,
} from './to-ui-messages.ts'
