import { useChat } from '@ai-sdk/react'
import {
  isStaticToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ToolUIPart,
  type UIMessage,
} from 'ai'
import type { Agent } from 'offstage'
import { createChatTransport, type OffstageUIMessage } from 'offstage/ai-sdk'
import {
  Confirmation,
  ConfirmationAction,
  ConfirmationActions,
  ConfirmationRequest,
  ConfirmationTitle,
} from '@/components/ai-elements/confirmation'
import {
  Conversation,
  ConversationContent,
  ConversationEmptyState,
  ConversationScrollButton,
} from '@/components/ai-elements/conversation'
import { Message, MessageContent, MessageResponse } from '@/components/ai-elements/message'
import {
  PromptInput,
  PromptInputBody,
  PromptInputFooter,
  PromptInputSubmit,
  PromptInputTextarea,
  PromptInputTools,
} from '@/components/ai-elements/prompt-input'
import { Tool, ToolContent, ToolHeader, ToolInput, ToolOutput } from '@/components/ai-elements/tool'

interface ChatProps {
  readonly agent: Agent
  readonly conversationId: string
  /** The messages from before the page was loaded. */
  readonly storedMessages: OffstageUIMessage[]
}

export function Chat({ agent, conversationId, storedMessages }: ChatProps) {
  const { messages, sendMessage, stop, status, error, addToolApprovalResponse } = useChat({
    id: conversationId,
    messages: storedMessages,
    transport: createChatTransport(agent),
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const send = (text: string): void => {
    if (text.trim() !== '') void sendMessage({ text })
  }
  const answer = (id: string, approved: boolean): void =>
    void addToolApprovalResponse({ id, approved })
  return (
    <section aria-label="Task helper" className="chat">
      <Conversation>
        <ConversationContent>
          {messages.length === 0 && (
            <ConversationEmptyState
              title="Task helper"
              description="Write “add”, “done”, “list” or “clear”."
            />
          )}
          {messages.map((message) => (
            <MessageRow key={message.id} message={message} onAnswer={answer} />
          ))}
          {error && <p role="alert">{error.message}</p>}
        </ConversationContent>
        <ConversationScrollButton aria-label="Scroll to the end" />
      </Conversation>
      <PromptInput className="p-4" onSubmit={({ text }) => send(text)}>
        <PromptInputBody>
          <PromptInputTextarea aria-label="Message" placeholder="Write a message" />
        </PromptInputBody>
        <PromptInputFooter>
          <PromptInputTools />
          <PromptInputSubmit status={status} onStop={() => void stop()} />
        </PromptInputFooter>
      </PromptInput>
    </section>
  )
}

interface MessageRowProps {
  readonly message: UIMessage
  readonly onAnswer: (approvalId: string, approved: boolean) => void
}

function MessageRow({ message, onAnswer }: MessageRowProps) {
  return (
    <Message from={message.role}>
      <MessageContent>
        {message.parts.map((part, index) => {
          if (part.type === 'text')
            return <MessageResponse key={index}>{part.text}</MessageResponse>
          if (isStaticToolUIPart(part))
            return <ToolCall key={part.toolCallId} part={part} onAnswer={onAnswer} />
          return null
        })}
      </MessageContent>
    </Message>
  )
}

interface ToolCallProps {
  readonly part: ToolUIPart
  readonly onAnswer: MessageRowProps['onAnswer']
}

function ToolCall({ part, onAnswer }: ToolCallProps) {
  return (
    <>
      {/* A new key opens the card when the call waits, so that its input is on view. */}
      <Tool key={part.state} defaultOpen={part.state === 'approval-requested'}>
        <ToolHeader type={part.type} state={part.state} title={part.title} />
        <ToolContent>
          <ToolInput input={part.input} />
          <ToolOutput output={part.output} errorText={part.errorText} />
        </ToolContent>
      </Tool>
      {part.state === 'approval-requested' && (
        <Approval approvalId={part.approval.id} onAnswer={onAnswer} />
      )}
    </>
  )
}

interface ApprovalProps {
  readonly approvalId: string
  readonly onAnswer: MessageRowProps['onAnswer']
}

function Approval({ approvalId, onAnswer }: ApprovalProps) {
  return (
    <Confirmation approval={{ id: approvalId }} state="approval-requested">
      <ConfirmationRequest>
        <ConfirmationTitle>May the assistant do this?</ConfirmationTitle>
      </ConfirmationRequest>
      <ConfirmationActions>
        <ConfirmationAction variant="outline" onClick={() => onAnswer(approvalId, false)}>
          Deny
        </ConfirmationAction>
        <ConfirmationAction onClick={() => onAnswer(approvalId, true)}>Approve</ConfirmationAction>
      </ConfirmationActions>
    </Confirmation>
  )
}
