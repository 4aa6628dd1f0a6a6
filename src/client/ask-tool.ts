import type { CallContext, DescribeCall, FieldsQuery } from '../protocol/questions.ts'
import type { AgentPage } from './page-api.ts'
import { partWhileStaying, whileStaying } from './page-leaving.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { VerifierParts } from './verify.ts'

// Hooks that few tools have are loaded on first use.

export async function describeCall(
  registry: ToolRegistry,
  call: DescribeCall,
): ReturnType<AgentPage['describeCall']> {
  const part = await partWhileStaying(() => import('./describe-call.ts'))
  return whileStaying(() => part.describeCall(registry.get(call.toolName), call))
}

export async function secretsIn(
  { registry, warn }: Pick<VerifierParts, 'warn'> & { readonly registry: ToolRegistry },
  call: CallContext,
): ReturnType<AgentPage['secretsIn']> {
  const part = await partWhileStaying(() => import('./secrets-in.ts'))
  return whileStaying(() =>
    part.secretsIn(registry.get(call.toolName), call, (message) => warn('hook-failed', message)),
  )
}

export async function sensitiveFields({
  fields,
}: FieldsQuery): ReturnType<AgentPage['sensitiveFields']> {
  const part = await partWhileStaying(() => import('./sensitive-fields.ts'))
  return part.sensitiveFields(fields)
}
