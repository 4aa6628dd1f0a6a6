export { connectMcp } from './connect-mcp.ts'
export { diagnoseMcp } from './connect-mcp.ts'
export { finishMcpAuth } from './connect-mcp.ts'
export { fromMcpClient } from './connect-mcp.ts'
export { useMcp, type UseMcpOptions } from './connect-mcp.ts'
export type { McpServer } from './server.ts'
export type {
  McpElicitation,
  McpElicitationContext,
  McpFetch,
  McpOptions,
  McpToolOptions,
  TokenRequest,
} from './options.ts'
export type { McpAuthOptions, McpKeyStore } from './options.ts'
export type { FromMcpClientOptions, McpClientLike } from './options.ts'
export type { McpDiagnosis, McpProblem } from './doctor/diagnose.ts'
export type { McpDiagnostic } from './options.ts'
export type { DefinitionChange, McpHints, McpToolInfo } from './options.ts'
export type { McpResource, McpResources } from './offers.ts'
export type { McpPrompt, McpPromptArgument, McpPromptMessage, McpPrompts } from './offers.ts'
