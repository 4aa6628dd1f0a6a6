import { describeThrown, OffstageError } from '../protocol/error.ts'

/** Lazily loads a part of the memory: most of its code and libraries aren't needed at once. */
export async function loadMemoryPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new OffstageError(
      'worker-load-failed',
      `The memory could not be loaded: ${describeThrown(cause)}`,
      { retryable: true, cause },
    )
  }
}
