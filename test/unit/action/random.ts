/** Pseudo-random numbers from 0 to 1, the same for each seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** The text in pieces of 1 to 12 characters. */
export function randomPieces(text: string, seed: number): string[] {
  const random = randomOf(seed)
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(at, at + 1 + Math.floor(random() * 12)))
  return pieces
}
