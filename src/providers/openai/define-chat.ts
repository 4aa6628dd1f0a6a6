import { resolveBaseURL } from '../core/base-url.ts'
import type { ChatId, HttpProviderDefinition } from '../provider.ts'
import { endChat, mapChatChunk, startChat, type ChatState } from './map-chunk.ts'
import { chatPresets, simpleRoles, type ChatRules } from './presets.ts'
import { toChatRequest } from './to-request.ts'

/** Defines Chat Completions with one server's rules. */
function defineChat(id: string, rules: ChatRules): HttpProviderDefinition<ChatState> {
  return {
    id,
    baseURL: (config) => resolveBaseURL(config, rules, id).href,
    toRequest: (request, config, form) =>
      toChatRequest(request, config, {
        providerId: id,
        rules: form.has('roles simple') ? { ...rules, ...simpleRoles } : rules,
      }),
    start: (request, { strictTools = false }) =>
      startChat(id, request, strictTools && rules.strict !== null),
    mapChunk: mapChatChunk,
    end: endChat,
    isEnding: (state) => state.isFinished,
    responses: async () =>
      (await import('../openai-responses/define-responses.ts')).defineResponses(id, rules),
  }
}

/** Defines OpenAI's provider, or another preset with the same format. */
export function chatProvider(id: ChatId): HttpProviderDefinition<ChatState> {
  return defineChat(id, chatPresets[id])
}
