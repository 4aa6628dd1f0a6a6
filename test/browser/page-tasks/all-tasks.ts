import { accordion } from './accordion.ts'
import { autocomplete } from './autocomplete.ts'
import { calendarBook } from './calendar-book.ts'
import { canvasLine } from './canvas-line.ts'
import { chatMessage } from './chat-message.ts'
import { chips } from './chips.ts'
import { codeBoxes } from './code-boxes.ts'
import { codeEdit } from './code-edit.ts'
import { colours } from './colours.ts'
import { commandPalette } from './command-palette.ts'
import { commentThread } from './comment-thread.ts'
import { contextMenu } from './context-menu.ts'
import { copyWords } from './copy-words.ts'
import { dateFields } from './date-fields.ts'
import { datePicker } from './date-picker.ts'
import { dateRange } from './date-range.ts'
import { dependentSelects } from './dependent-selects.ts'
import { dragSort } from './drag-sort.ts'
import { facets } from './facets.ts'
import { hoverMenu } from './hover-menu.ts'
import { kanban } from './kanban.ts'
import { keySlider } from './key-slider.ts'
import { longText } from './long-text.ts'
import { mailArchive } from './mail-archive.ts'
import { mailReply } from './mail-reply.ts'
import { mapMarkers } from './map-markers.ts'
import { nativeSliders } from './native-sliders.ts'
import { pointerSlider } from './pointer-slider.ts'
import { popover } from './popover.ts'
import { ratingStars } from './rating-stars.ts'
import { scrollBox } from './scroll-box.ts'
import { searchResults } from './search-results.ts'
import { splitter } from './splitter.ts'
import { steppers } from './steppers.ts'
import { svgChart } from './svg-chart.ts'
import { tabs } from './tabs.ts'
import { terminal } from './terminal.ts'
import { timeWheel } from './time-wheel.ts'
import { treeCheck } from './tree-check.ts'
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
  'drags, sliders and drawings': [
    dragSort,
    kanban,
    nativeSliders,
    keySlider,
    pointerSlider,
    splitter,
    canvasLine,
    mapMarkers,
    scrollBox,
    svgChart,
  ],
  'choices and menus': [
    autocomplete,
    dependentSelects,
    hoverMenu,
    contextMenu,
    tabs,
    treeCheck,
    accordion,
    popover,
    chips,
    facets,
  ],
}
