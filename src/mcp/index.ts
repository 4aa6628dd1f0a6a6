export { connectMcp } from './connect-mcp.ts'
export { diagnoseMcp } from './diagnose-mcp.ts'
export { finishMcpAuth } from './finish-mcp-auth.ts'
export { fromMcpClient } from './from-mcp-client.ts'
export { useMcp, type UseMcpOptions } from './use-mcp.ts'
export type { McpServer } from './server.ts'
export type {
  McpElicitation,
  McpElicitationContext,
  McpFetch,
  McpOptions,
  McpToolOptions,
  TokenRequest,
} from './options.ts'
export type { McpAuthOptions, McpKeyStore } from './auth/options.ts'
export type { FromMcpClientOptions, McpClientLike } from './client-like.ts'
export type { McpDiagnosis, McpProblem } from './doctor/diagnosis.ts'
export type { McpDiagnostic } from './diagnostic.ts'
export type { DefinitionChange, McpHints, McpToolInfo } from './tool-info.ts'
export type { McpResource, McpResources } from './resources.ts'
export type { McpPrompt, McpPromptArgument, McpPromptMessage, McpPrompts } from './prompts.ts'
