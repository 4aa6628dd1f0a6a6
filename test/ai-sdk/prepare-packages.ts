import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { inProject } from '../../scripts/lib/project.mjs'
import type {
  OffstageChatTransport,
  OffstageUIMessage,
  UIChunk,
} from '../../src/connect/ai-sdk/index.ts'
import type { LanguageModelLike } from '../../src/connect/ai-sdk/model/call-options.ts'
import { installAside } from '../apps/install-aside.ts'

/** Where the packages are: their `engines` leave out versions of Node that the project is developed on. */
export const PACKAGES = inProject('.cache/ai-sdk')

interface VendorSettings {
  readonly name: string
  readonly baseURL: string
  readonly apiKey?: string | undefined
  readonly includeUsage?: boolean
  readonly fetch?: typeof fetch | undefined
}

export type CreateVendor = (settings: VendorSettings) => (modelId: string) => LanguageModelLike

interface ChatOptions {
  readonly id: string
  readonly transport: OffstageChatTransport
  readonly messages?: readonly OffstageUIMessage[]
  readonly sendAutomaticallyWhen?: unknown
  readonly onData?: (part: { readonly type: string; readonly data: unknown }) => void
  readonly onError?: (error: Error) => void
}

export interface Packages {
  /** The AI SDK's own chat, as `useChat` has it. */
  readonly Chat: new (options: ChatOptions) => ChatLike
  readonly ai: {
    readonly lastAssistantMessageIsCompleteWithApprovalResponses: unknown
    readonly lastAssistantMessageIsCompleteWithToolCalls: unknown
    readUIMessageStream(options: {
      readonly stream: ReadableStream<UIChunk>
    }): AsyncIterable<OffstageUIMessage>
    readonly safeValidateUIMessages: (options: {
      readonly messages: unknown
    }) => Promise<{ readonly success: boolean; readonly error?: unknown }>
    readonly uiMessageChunkSchema: () => {
      validate(
        value: unknown,
      ): { readonly success: boolean } | Promise<{ readonly success: boolean }>
    }
  }
  /** The package of one vendor, for each version of the model specification. */
  readonly createV2: CreateVendor
  readonly createV3: CreateVendor
  readonly createV4: CreateVendor
}

let prepared: Promise<void> | undefined

/** Installs the packages once. */
export function preparePackages(): Promise<void> {
  prepared ??= installAside(inProject('test/ai-sdk'), PACKAGES)
  return prepared
}

export async function packages(): Promise<Packages> {
  await preparePackages()
  const file = pathToFileURL(path.join(PACKAGES, 'packages.mjs')).href
  return (await import(/* @vite-ignore */ file)) as Packages
}

/** A chat's state as the AI SDK's own chats keep it, with nobody to draw it. */
export interface ChatLike {
  messages: OffstageUIMessage[]
  readonly status: 'submitted' | 'streaming' | 'ready' | 'error'
  readonly error: Error | undefined
  sendMessage(message?: object): Promise<void>
  regenerate(options?: { readonly messageId?: string }): Promise<void>
  resumeStream(): Promise<void>
  stop(): Promise<void>
  addToolApprovalResponse(answer: {
    readonly id: string
    readonly approved: boolean
    readonly reason?: string
  }): Promise<void>
  addToolOutput(answer: {
    readonly tool: string
    readonly toolCallId: string
    readonly output: unknown
  }): Promise<void>
}
