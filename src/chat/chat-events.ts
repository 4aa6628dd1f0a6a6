import type {
  ConversationRecord,
  FilePart,
  ListedMemory,
  PendingCall,
  QuestionAnswer,
  ShownCall,
  ShownMessage,
} from '../index.ts'

type OneCall = { readonly call: PendingCall }
type AllCalls = { readonly calls: readonly PendingCall[] }

/** Event details of each user action, besides `conversationId`. */
export interface ActionDetails {
  /** `steers`: the message goes to the run that is under way. */
  readonly send: {
    readonly text: string
    readonly files: readonly FilePart[]
    readonly steers: boolean
  }
  readonly stop: object
  readonly approve: (OneCall & { readonly remember?: 'conversation' | undefined }) | AllCalls
  readonly deny: (OneCall & { readonly reason?: string | undefined }) | AllCalls
  readonly answer: OneCall & { readonly answer: string | QuestionAnswer }
  /** An answer from a card that the page renders itself. */
  readonly respond: { readonly call: ShownCall; readonly answer: unknown }
  readonly resolve: OneCall & { readonly verdict: 'happened' | 'did-not-happen' | 'run-again' }
  readonly undo: { readonly call: ShownCall }
  readonly regenerate: { readonly message: ShownMessage }
  readonly edit: { readonly message: ShownMessage; readonly text: string }
  /** `messageId`: the version to show. */
  readonly branch: { readonly messageId: string }
  readonly continue: object
  readonly 'take-over': object
  readonly withdraw: { readonly messageId: string }
  readonly revoke: { readonly consentId: string }
  readonly rename: Pick<ConversationRecord, 'conversationId' | 'title'>
  readonly delete: Pick<ConversationRecord, 'conversationId'>
  readonly export: object
  readonly import: { readonly file: File }
  readonly forget: { readonly entries: readonly ListedMemory[] }
  readonly feedback: { readonly message: ShownMessage; readonly value: 'good' | 'bad' }
}

export type ActionName = keyof ActionDetails

/** Events of `<offstage-chat>`, by type. */
export type ChatEvents = {
  readonly [Name in ActionName as `offstage-${Name}`]: CustomEvent<
    { readonly conversationId: string } & ActionDetails[Name]
  >
} & { readonly 'offstage-view': CustomEvent<{ readonly conversationId: string }> }
