import { accordion } from './accordion.ts'
import { autocomplete } from './autocomplete.ts'
import { bulkRows } from './bulk-rows.ts'
import { calendarBook } from './calendar-book.ts'
import { canvasLine } from './canvas-line.ts'
import { carousel } from './carousel.ts'
import { chatMessage } from './chat-message.ts'
import { chips } from './chips.ts'
import { codeBoxes } from './code-boxes.ts'
import { codeEdit } from './code-edit.ts'
import { colours } from './colours.ts'
import { commandPalette } from './command-palette.ts'
import { commentThread } from './comment-thread.ts'
import { contextMenu } from './context-menu.ts'
import { cookieBanner } from './cookie-banner.ts'
import { copyWords } from './copy-words.ts'
import { dateFields } from './date-fields.ts'
import { datePicker } from './date-picker.ts'
import { dateRange } from './date-range.ts'
import { dependentSelects } from './dependent-selects.ts'
import { dragSort } from './drag-sort.ts'
import { facets } from './facets.ts'
import { fileUpload } from './file-upload.ts'
import { frameForm } from './frame-form.ts'
import { hoverMenu } from './hover-menu.ts'
import { infiniteScroll } from './infinite-scroll.ts'
import { inlineEdit } from './inline-edit.ts'
import { kanban } from './kanban.ts'
import { keyGrid } from './key-grid.ts'
import { keyMenubar } from './key-menubar.ts'
import { keySlider } from './key-slider.ts'
import { lateResult } from './late-result.ts'
import { longForm } from './long-form.ts'
import { longText } from './long-text.ts'
import { mailArchive } from './mail-archive.ts'
import { mailReply } from './mail-reply.ts'
import { mapMarkers } from './map-markers.ts'
import { modalConfirm } from './modal-confirm.ts'
import { multiSelect } from './multi-select.ts'
import { nativeDialogs } from './native-dialogs.ts'
import { nativeSliders } from './native-sliders.ts'
import { pointerSlider } from './pointer-slider.ts'
import { popover } from './popover.ts'
import { ratingStars } from './rating-stars.ts'
import { redrawnList } from './redrawn-list.ts'
import { scrollBox } from './scroll-box.ts'
import { searchResults } from './search-results.ts'
import { shadowSettings } from './shadow-settings.ts'
import { shoppingCart } from './shopping-cart.ts'
import { signIn } from './sign-in.ts'
import { sortTable } from './sort-table.ts'
import { splitter } from './splitter.ts'
import { steppers } from './steppers.ts'
import { svgChart } from './svg-chart.ts'
import { tablePages } from './table-pages.ts'
import { tabs } from './tabs.ts'
import { terminal } from './terminal.ts'
import { timeWheel } from './time-wheel.ts'
import { toastUndo } from './toast-undo.ts'
import { tooltip } from './tooltip.ts'
import { treeCheck } from './tree-check.ts'
import { undo } from './undo.ts'
import { virtualList } from './virtual-list.ts'
import { weekDrag } from './week-drag.ts'
import { wizard } from './wizard.ts'
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
  'forms and dialogs': [
    longForm,
    wizard,
    modalConfirm,
    nativeDialogs,
    inlineEdit,
    undo,
    toastUndo,
    fileUpload,
    frameForm,
    shadowSettings,
  ],
  'tables and lists': [
    shoppingCart,
    tablePages,
    infiniteScroll,
    virtualList,
    sortTable,
    bulkRows,
    keyGrid,
    keyMenubar,
  ],
  'waiting and layers': [
    multiSelect,
    tooltip,
    lateResult,
    cookieBanner,
    redrawnList,
    signIn,
    carousel,
  ],
}
