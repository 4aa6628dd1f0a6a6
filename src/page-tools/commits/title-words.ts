/** What is removed where nothing is lost: filters, and items of a cart or a list to choose from. */
export const HARMLESS_REMOVALS =
  'filt(?:er|re|ro)|фильтр|フィルタ|絞り込み|筛选|篩選|cart\\b|basket|\\bbag\\b|carrito|cesta|panier|warenkorb|carrinho|корзин|カート|购物车|購物車|wish ?list|watch ?list|favou?rites|comparison|search'

/** What leaves a question alone: not what is asked. */
export const DECLINES =
  'cancel|close|back|no|dismiss|keep|not now|later|abort|skip|help|learn more|edit|preview|go back|return|never ?mind|abbrechen|schließen|zuruck|nein|behalten|spater|cancelar|cerrar|volver|atras|annuler|fermer|retour|non|fechar|voltar|nao|отмена|отменить|закрыть|назад|нет|取消|关闭|關閉|返回|否|キャンセル|閉じる|戻る|いいえ|x|×|✕|✖'

/** What ends a form or a dialog and says nothing of its own: the title says what is agreed to. */
export const CONSENTS =
  'ok|okay|yes|confirm|continue|go|go ahead|done|proceed|agree|i agree|i understand|finish|complete|do it|next|ja|bestatigen|weiter|fertig|fortfahren|akzeptieren|zustimmen|si|confirmar|continuar|aceptar|listo|siguiente|oui|confirmer|continuer|valider|accepter|terminer|suivant|sim|aceitar|concluir|да|подтвердить|продолжить|готово|далее|принять'

/** The same, in scripts without gaps. */
export const CONSENTS_WITHOUT_GAPS =
  '是|确定|确认|確定|確認|继续|繼續|同意|完成|好|はい|続行|続ける|次へ|完了'

/** What keeps what was entered: that is all it does, whatever the title names. */
export const SAVES =
  'apply|save|speichern|guardar|enregistrer|salvar|сохранить|anwenden|ubernehmen|aplicar|appliquer|применить'

/** The same, in scripts without gaps. */
export const SAVES_WITHOUT_GAPS = '保存|适用|應用|应用|適用'
