/** Converts to a tool name that every vendor accepts. A name invented by a model may contain anything. */
export function legalToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}
