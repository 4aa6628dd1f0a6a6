import { calendarBook } from './calendar-book.ts'
import { chatMessage } from './chat-message.ts'
import { codeBoxes } from './code-boxes.ts'
import { codeEdit } from './code-edit.ts'
import { colours } from './colours.ts'
import { commandPalette } from './command-palette.ts'
import { commentThread } from './comment-thread.ts'
import { copyWords } from './copy-words.ts'
import { dateFields } from './date-fields.ts'
import { datePicker } from './date-picker.ts'
import { dateRange } from './date-range.ts'
import { longText } from './long-text.ts'
import { mailArchive } from './mail-archive.ts'
import { mailReply } from './mail-reply.ts'
import { ratingStars } from './rating-stars.ts'
import { searchResults } from './search-results.ts'
import { steppers } from './steppers.ts'
import { terminal } from './terminal.ts'
import { timeWheel } from './time-wheel.ts'
import { weekDrag } from './week-drag.ts'
import type { PageTask } from './support/task.ts'

/** All tasks; those of a group share a browser's page. */
export const TASKS: Readonly<Record<string, readonly PageTask[]>> = {
  'mail and words': [
    mailReply,
    mailArchive,
    chatMessage,
    searchResults,
    copyWords,
    longText,
    terminal,
    codeEdit,
    commentThread,
    commandPalette,
  ],
  'days, times and numbers': [
    calendarBook,
    dateFields,
    datePicker,
    dateRange,
    timeWheel,
    colours,
    weekDrag,
    steppers,
    codeBoxes,
    ratingStars,
  ],
}
