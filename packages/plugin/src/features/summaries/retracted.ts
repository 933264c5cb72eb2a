// Recognises sentences by which people take back what they have just said, in the languages that the redaction reads.
// Pure.

/** These take back everything before them in a prompt; at its beginning they take back the prompt before. */
const BACK = [
  "no,? wait|wait,? (?:no|what)|oh wait|scratch (?:that|this|it|what)|strike (?:that|this|it)|never ?mind|(?:please )?(?:forget|ignore|disregard|cancel|undo) (?:it|that|this|all that|what i)",
  "(?:(?:i['’]?m|i am|i was|was) )?(?:just |only )?(?:kidding|joking)|i take (?:it|that|this) back|correction|on second thoughts?|not really|my (?:mistake|bad)|oops|i changed my mind|i was wrong|i did(?:n['’]t| not) mean",
  "that(?:['’]s| is| was) (?:wrong|false|a (?:joke|lie|mistake)|not (?:true|right|correct|what))",
  "nein,? (?:warte|moment|halt|stopp|doch|lieber|vergiss)|warte,? (?:nein|mal|doch)|ach nein|(?:ach,? )?quatsch|doch nicht|lieber nicht|besser nicht|vergiss (?:es|das)|vergessen sie (?:es|das)|streich(?:e|en sie)? (?:das|es)|ignorier(?:e|en sie)? (?:das|es)",
  "(?:war )?(?:nur |bloß )?(?:ein |kleiner )?(?:spaß|scherz|witz)|(?:das )?stimmt (?:so )?nicht|das (?:war|ist) (?:falsch|ein (?:fehler|irrtum|scherz|witz))|ich nehme (?:es|das) zurück|korrektur|mein fehler|ich habe (?:mich geirrt|es mir anders überlegt)",
  "non,? (?:attends|attendez|en fait|plutôt|oublie)|attends,? (?:non|en fait)|(?:oublie|oubliez|ignore|ignorez|annule|annulez) (?:ça|cela|ce que)|laisse(?:z)? tomber|je (?:plaisante|rigole|blague|retire|me suis tromp\\p{L}+)|c['’](?:est|était) (?:faux|une (?:blague|erreur))|tout compte fait|j['’]ai changé d['’]avis|au temps pour moi",
  "no,? (?:espera|espere|mejor|perdón|olvida\\p{L}*)|espera,? no|olvíd[ae]lo|olvid[ae] (?:eso|esto|lo)|(?:cancela|ignora|borra|tacha) (?:eso|esto|lo)|(?:es|era) (?:una )?broma|mejor no|me (?:he )?equivo\\p{L}+|retiro lo dicho|corrección|eso (?:no es cierto|es falso)|he cambiado de (?:idea|opinión)|pensándolo bien",
  "no,? aspetta|aspetta,? no|lascia(?:mo)? perdere|dimentical[oa]|(?:ignora|cancella) (?:questo|quello|ciò)|scherz(?:o|avo)|mi sono sbagliat[oa]|anzi,? no|ripensandoci|ho cambiato idea|come non detto",
  "não,? (?:espera|espere|melhor)|espera,? não|esque[çc][ae]?(?: (?:isso|isto))?|deixa (?:pra lá|estar|para lá)|(?:ignora|ignore|cancela|cancele) (?:isso|isto)|(?:é|era|foi) (?:uma )?brincadeira|estou (?:a )?brinca\\p{L}*|(?:me enganei|enganei-me)|melhor não|pensando bem|mudei de ideia",
  "nee,? (?:wacht|toch|liever|laat)|wacht,? nee|laat maar|vergeet (?:het|dat)|toch (?:maar )?niet|(?:was (?:maar )?een )?grapje|ik vergiste me|liever niet|bij nader inzien|negeer dat",
  "nie,? (?:czekaj|jednak|poczekaj)|czekaj,? nie|zapomnij(?: o tym)?|nieważne|(?:to (?:był )?)?żart(?:uję|owałem|owałam)?|jednak nie|cofam|pomyliłe?a?m się|zignoruj to",
  "ne,? počkej|počkej,? ne|zapomeň(?: na to)?|radši ne|dělám si (?:legraci|srandu)|beru zpět|spletl[a]? jsem se",
  "нет,? (?:подожди|постой|стой|лучше|погоди)|(?:подожди|постой|стой|погоди),? нет|забудь(?:те)?|неважно|(?:я )?(?:шучу|пошутил[а]?)|шутка|беру (?:свои )?слова|я (?:ошибся|ошиблась|передумал[а]?)|это (?:неправда|неверно)|отмена|игнорируй",
  "nej,? (?:vänta|vent|förresten)|nei,? vent|vänta,? nej|vent,? ne[ij]|glöm (?:det|bort)|glem det|(?:jag )?(?:skojar|skämtar)(?: bara)?|(?:jeg )?(?:bare )?(?:tuller|spøker|laver sjov)|ångrar mig|ei,? odota|unohda se|vitsi|perun",
  "hayır,? (?:bekle|dur)|bekle,? hayır|(?:bunu |onu )?unut(?:un)?|boş ver|vazgeçtim|şaka(?: yaptım)?|yanlış oldu",
  "nem,? várj|várj,? nem|felejtsd el|mégsem|csak vicceltem|visszavonom|όχι,? περίμενε|ξέχνα(?: το)?|ξέχασέ το|πλάκα κάνω|κάνω πλάκα",
  "không,? (?:khoan|đợi|chờ)|quên (?:đi|nó)|đùa thôi|rút lại|(?:tidak|bukan),? tunggu|tunggu,? (?:tidak|bukan)|lupakan|cuma bercanda|batalkan",
];
/** In scripts without spaces no boundary shows where a word ends. */
const BACK_UNSPACED =
  "不对|不對|不，|等等|等一下|算了|忘了|忘掉|当我没说|開玩笑|开玩笑|撤回|更正|いや、|待って|ちょっと待|やっぱり|忘れて|冗談|訂正|取り消|아니,|아니 |잠깐|잊어|취소|농담|정정";

/** "Hmm, scratch that": fillers precede the phrase and mean nothing. */
const FILLERS =
  "(?:(?:h+m+|o+h|a+h|u+h|um|er|eh|euh|ä+h+|ach|ok(?:ay)?|well|sorry|oops|actually|please|pardon|perdón|scusa|desculpa|bitte|ну|ой|ups?)[\\s,.!…—–-]+)*";

const TAKES_ALL_BACK = new RegExp(
  `^["'“‘„«(¡¿—–-]*\\s*${FILLERS}(?:(?:${BACK.join("|")})(?!\\p{L})|${BACK_UNSPACED})`,
  "iu",
);

/** Right after a sentence these doubt it, limit it or reverse it; further away they don't refer to it. */
const DOUBTS = [
  "no|nope|nah|not|wrong|false|kidding|just kidding|just jok\\p{L}+|jok\\p{L}+|never|scratch|actually|wait|sorry|hmm|or|but|however|unless|except|only|until|till|if|when|that|this|it|is|was|right|i (?:mean|meant|was|am|did|do|don|take)|ignore|forget|undo|says?|said|at least|for now|today|so (?:it|they|he|she|the)",
  "nein|nee|nicht|nie|falsch|warte|moment|halt|eigentlich|oder|aber|jedoch|doch|außer|es sei denn|nur|bis|wenn|falls|das|dies|es|ist|war|stimmt|ich meine?|vergiss|vorerst|heute|zumindest|sagt|so (?:steht|sagt|heißt)|entschuldigung|tut mir leid",
  "non|pas|jamais|faux|attends|en fait|ou|mais|cependant|sauf|seulement|uniquement|jusqu|si|quand|lorsque|ça|cela|ceci|c['’]est|il|je (?:veux dire|voulais)|oublie|pour l['’]instant|aujourd['’]hui|du moins|pardon|désolée?|dit|euh",
  "no|nunca|falso|espera|en realidad|o|pero|sin embargo|salvo|excepto|sólo|solo|solamente|hasta|si|cuando|eso|esto|es|era|quiero decir|quería|olvida|por ahora|hoy|al menos|perdón|lo siento|dice|dijo",
  "non|mai|falso|aspetta|in realtà|anzi|ma|però|tranne|soltanto|finché|se|quando|questo|quello|è|era|cioè|per ora|oggi|almeno|scusa|dice",
  "não|nunca|espera|na verdade|ou|mas|porém|exceto|só|apenas|até|se|quando|isso|isto|é|era|quero dizer|por enquanto|hoje|pelo menos|desculpa|diz",
  "nee|niet|nooit|wacht|eigenlijk|of|maar|echter|behalve|alleen|tot|als|wanneer|dat|dit|het|is|was|ik bedoel|voorlopig|vandaag|tenminste|zegt",
  "nie|nigdy|czekaj|właściwie|albo|lub|ale|jednak|oprócz|chyba|tylko|dopóki|jeśli|gdy|na razie|dziś|przepraszam|ne|nikdy|počkej|vlastně|nebo|avšak|kromě|jen|pokud|když|promiň",
  "нет|не|никогда|подожди|вообще-то|на самом деле|или|но|однако|кроме|если|когда|только|пока|это|так|извини|прости|сегодня",
  "nej|nei|inte|ikke|aldrig|aldri|vänta|vent|egentligen|egentlig|eller|men|dock|utom|bara|bare|kun|tills|om|när|når|det|ei|odota|mutta|vain|jos|hayır|bekle|aslında|ama|ancak|veya|yalnız|eğer|nem|várj|de|vagy|csak|ha|όχι|περίμενε|αλλά|μόνο|αν|không|khoan|nhưng|hoặc|chỉ|nếu|tidak|bukan|tunggu|tapi|atau|hanya|jika",
];
const DOUBTS_UNSPACED =
  "不|但|可是|除非|只|如果|或|しかし|でも|ただし|もし|だけ|いや|違|아니|하지만|단,|만약|그러나";

const DOUBTS_BEFORE = new RegExp(
  `^["'“‘„«(¡¿—–-]*\\s*(?:(?:${DOUBTS.join("|")})(?!\\p{L})|${DOUBTS_UNSPACED})`,
  "iu",
);

/** Returns true if a sentence takes back all that was said before it. */
export function retractsAll(sentence: string): boolean {
  return TAKES_ALL_BACK.test(sentence);
}

/** Returns true if a sentence takes back, limits or doubts the one right before it. */
export function retractsEarlier(sentence: string): boolean {
  return DOUBTS_BEFORE.test(sentence) || retractsAll(sentence);
}
