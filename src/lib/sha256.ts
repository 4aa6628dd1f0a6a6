/** SHA-256 of a text, in hexadecimal. Rejects on plain HTTP, which has no `crypto.subtle`. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => (byte + 256).toString(16).slice(1)).join('')
}
